import { fileURLToPath } from 'node:url';

import type { ImageDefinition } from '../image-definition.ts';
import { paddle } from './paddle.ts';

const trainingProgram = fileURLToPath(new URL('../../../../examples/paddle/train.py', import.meta.url));

/** The training program of `examples/paddle` on top of Paddle: editing it rebuilds a few kilobytes. */
export const paddleExamples: ImageDefinition = {
  name: 'paddle-examples',
  version: paddle.version,
  parent: paddle,
  layer: { kind: 'files', files: { '/opt/muster/examples/train.py': trainingProgram } },
  defaults: { workingDir: '/opt/muster/examples' },
};
