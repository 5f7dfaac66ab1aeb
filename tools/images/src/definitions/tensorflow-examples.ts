import { fileURLToPath } from 'node:url';

import type { ImageDefinition } from '../image-definition.ts';
import { tensorflow } from './tensorflow.ts';

const example = (file: string): string =>
  fileURLToPath(new URL(`../../../../examples/tensorflow/${file}`, import.meta.url));

/** The training programs of `examples/tensorflow` on top of TensorFlow: editing one rebuilds a few kilobytes. */
export const tensorflowExamples: ImageDefinition = {
  name: 'tensorflow-examples',
  version: tensorflow.version,
  parent: tensorflow,
  layer: {
    kind: 'files',
    files: {
      '/opt/muster/examples/multi_worker.py': example('multi_worker.py'),
      '/opt/muster/examples/parameter_server.py': example('parameter_server.py'),
    },
  },
  defaults: { workingDir: '/opt/muster/examples' },
};
