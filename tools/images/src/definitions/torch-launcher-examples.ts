import type { ImageDefinition } from '../image-definition.ts';
import { torchExamples } from './torch-examples.ts';
import { torchLaunchers } from './torch-launchers.ts';

/** The same program as in `torch-examples`, for other launchers. */
export const torchLauncherExamples: ImageDefinition = {
  ...torchExamples,
  name: 'torch-launcher-examples',
  parent: torchLaunchers,
};
