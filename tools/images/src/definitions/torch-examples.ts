import { fileURLToPath } from 'node:url';

import type { ImageDefinition } from '../image-definition.ts';
import { torch } from './torch.ts';

const trainingProgram = fileURLToPath(new URL('../../../../examples/pytorch-elastic/train.py', import.meta.url));

/** The training program of `examples/pytorch-elastic` on top of PyTorch: editing it rebuilds a few kilobytes. */
export const torchExamples: ImageDefinition = {
  name: 'torch-examples',
  version: torch.version,
  parent: torch,
  layer: { kind: 'files', files: { '/opt/muster/examples/train.py': trainingProgram } },
  defaults: { workingDir: '/opt/muster/examples' },
};
