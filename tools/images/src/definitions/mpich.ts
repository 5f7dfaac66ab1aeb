import { readFileSync } from 'node:fs';

import type { ImageDefinition } from '../image-definition.ts';
import { mpiBase } from './mpi-base.ts';

/**
 * MPICH 4.3 with mpi4py, both as Python packages.
 *
 * Not Debian's MPICH 4.0: on busy cores one program in six hung in MPI_Finalize, where finished ranks wait for the process manager and no
 * longer respond to the others.
 */
export const mpich: ImageDefinition = {
  name: 'mpich',
  version: '4.3',
  parent: mpiBase,
  layer: {
    kind: 'packages',
    packages: ['python3'],
    exclude: ['*.a'],
    requirements: readFileSync(new URL('mpich-requirements.txt', import.meta.url), 'utf8'),
    script: `
rm -rf /usr/local/include/mpi*
ldconfig
python3 -m compileall -q -j 0 /usr/local/lib/python3.11/dist-packages
mpirun -n 2 python3 -c 'from mpi4py import MPI; assert MPI.COMM_WORLD.allreduce(1) == 2'
`,
  },
};
