/** Names of an MPIJob's pods and objects, as in Kubeflow's operators. */
import { replicaName } from '@muster/job-api';
import type { MPIModel } from '../generations/mpi-model.ts';

type Named = Pick<MPIModel, 'name'>;

/** Also the name of its ServiceAccount, Role and RoleBinding. */
export function launcherName({ name }: Named): string {
  return `${name}-launcher`;
}

export function workerName({ name }: Named, index: number): string {
  return replicaName(name, 'Worker', index);
}

/** Without removals by name. */
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
