/** The hostfile of `mpirun`, with the slots of each host (kubeflow/mpi-operator: newConfigMap). */
import { hostsOf } from './host-names.ts';
import type { MPIImplementation, MPIModel } from '../generations/mpi-model.ts';
import { workerIndexes } from './object-names.ts';

/** A line for each host, running or not: the launcher first if it computes, then these workers. */
export function hostfile(model: MPIModel, workers: readonly number[] = workerIndexes(model)): string {
  return hostLines(hostsOf(model, workers), model.slots, model.implementation);
}

export function hostLines(hosts: readonly string[], slots: number, implementation: MPIImplementation): string {
  return hosts.map((host) => `${line(implementation, host, slots)}\n`).join('');
}

function line(implementation: MPIImplementation, host: string, slots: number): string {
  switch (implementation) {
    case 'OpenMPI':
      return `${host} slots=${slots}`;
    // Both are started by Hydra.
    case 'Intel':
    case 'MPICH':
      return `${host}:${slots}`;
  }
}
