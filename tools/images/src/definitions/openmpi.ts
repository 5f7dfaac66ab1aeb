import type { ImageDefinition } from '../image-definition.ts';
import { mpiBase } from './mpi-base.ts';

/**
 * Open MPI 4.1 with mpi4py, for pods that are reached by ssh and for those that are reached by `kubectl exec`.
 *
 * Containers run as root by default, for which mpirun requires two variables. Waiting ranks poll for messages; in tests they share cores
 * with the ranks that they wait for, so they yield.
 *
 * Left out: hwloc's plug-ins, which look for graphics cards, and everything that only they need.
 */
export const openmpi: ImageDefinition = {
  name: 'openmpi',
  version: '4.1',
  parent: mpiBase,
  layer: {
    kind: 'packages',
    packages: ['openmpi-bin', 'python3-mpi4py'],
    exclude: [
      '*.a',
      '/usr/lib/*/hwloc/*',
      '/usr/lib/*/libicu*',
      '/usr/lib/*/libOpenCL*',
      '/usr/lib/*/libX*',
      '/usr/lib/*/libxcb*',
      '/usr/lib/*/libxml2*',
      '/usr/share/X11/*',
    ],
    script: `
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
mpirun --oversubscribe -n 2 python3 -c 'from mpi4py import MPI; assert MPI.COMM_WORLD.allreduce(1) == 2'
`,
  },
  defaults: {
    env: {
      OMPI_ALLOW_RUN_AS_ROOT: '1',
      OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: '1',
      OMPI_MCA_mpi_yield_when_idle: '1',
    },
  },
};
