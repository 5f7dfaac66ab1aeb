/** The names of an MPIJob's pods and objects: those of Kubeflow's operators, in all generations of the API. */
import { replicaName } from '@muster/job-api';
import type { MPIModel } from '../generations/mpi-model.ts';

type Named = Pick<MPIModel, 'name'>;

/** Of the launcher, and of the ServiceAccount, Role and RoleBinding that it runs under. */
export function launcherName({ name }: Named): string {
  return `${name}-launcher`;
}

export function workerName({ name }: Named, index: number): string {
  return replicaName(name, 'Worker', index);
}

/** Of workers of which none was scaled away by name. */
export function workerIndexes({ workers }: Pick<MPIModel, 'workers'>): number[] {
  return Array.from({ length: workers }, (_worker, index) => index);
}

export function workerNames(
  model: Named & Pick<MPIModel, 'workers'>,
  indexes: readonly number[] = workerIndexes(model),
): string[] {
  return indexes.map((index) => workerName(model, index));
}

export function configMapName({ name }: Named): string {
  return `${name}-config`;
}

export function sshSecretName({ name }: Named): string {
  return `${name}-ssh`;
}
