import { fileURLToPath } from 'node:url';

import type { ImageDefinition } from '../image-definition.ts';
import { mxnet } from './mxnet.ts';

const trainingProgram = fileURLToPath(new URL('../../../../examples/mxnet/train.py', import.meta.url));

/** The training program of `examples/mxnet` on top of MXNet: editing it rebuilds a few kilobytes. */
export const mxnetExamples: ImageDefinition = {
  name: 'mxnet-examples',
  version: mxnet.version,
  parent: mxnet,
  layer: { kind: 'files', files: { '/opt/muster/examples/train.py': trainingProgram } },
  defaults: { workingDir: '/opt/muster/examples' },
};
