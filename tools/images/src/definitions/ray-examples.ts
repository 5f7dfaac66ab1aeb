import { fileURLToPath } from 'node:url';

import type { ImageDefinition } from '../image-definition.ts';
import { ray } from './ray.ts';

const trainingProgram = fileURLToPath(new URL('../../../../examples/ray/train.py', import.meta.url));

/** The training program of `examples/ray` on top of Ray: editing it rebuilds a few kilobytes. */
export const rayExamples: ImageDefinition = {
  name: 'ray-examples',
  version: ray.version,
  parent: ray,
  layer: { kind: 'files', files: { '/opt/muster/examples/train.py': trainingProgram } },
  defaults: { workingDir: '/opt/muster/examples' },
};
