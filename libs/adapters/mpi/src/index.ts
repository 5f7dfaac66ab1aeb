export { mpiAdapter } from './mpi-adapter.ts';
export { mpiPlugin } from './volcano-plugin.ts';
export { DEFAULT_MPI_SETTINGS, type MPISettings } from './generations/mpi-options.ts';
