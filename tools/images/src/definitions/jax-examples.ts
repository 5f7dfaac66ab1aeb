import { fileURLToPath } from 'node:url';

import type { ImageDefinition } from '../image-definition.ts';
import { jax } from './jax.ts';

const trainingProgram = fileURLToPath(new URL('../../../../examples/jax/train.py', import.meta.url));

/** The training program of `examples/jax` on top of JAX: editing it rebuilds a few kilobytes. */
export const jaxExamples: ImageDefinition = {
  name: 'jax-examples',
  version: jax.version,
  parent: jax,
  layer: { kind: 'files', files: { '/opt/muster/examples/train.py': trainingProgram } },
  defaults: { workingDir: '/opt/muster/examples' },
};
