import { fileURLToPath } from 'node:url';

import type { ImageDefinition } from '../image-definition.ts';
import { mpich } from './mpich.ts';
import { openmpi } from './openmpi.ts';

const example = (file: string): string => fileURLToPath(new URL(`../../../../examples/mpi/${file}`, import.meta.url));

/** The programs of `examples/mpi` on top of an MPI: editing one rebuilds a few kilobytes. */
function examplesOn(parent: ImageDefinition): ImageDefinition {
  return {
    name: `${parent.name}-examples`,
    version: parent.version,
    parent,
    layer: {
      kind: 'files',
      files: {
        '/opt/muster/examples/pi.py': example('pi.py'),
        '/opt/muster/examples/train.py': example('train.py'),
      },
    },
    defaults: { workingDir: '/opt/muster/examples' },
  };
}

export const openmpiExamples = examplesOn(openmpi);
export const mpichExamples = examplesOn(mpich);
