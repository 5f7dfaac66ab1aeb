/** What the pods of a job are called. */
import { replicaName, type Pod } from '@muster/job-api';
import { uniqueNamesOf, isUnnumbered } from './replica-identity.ts';
import type { Replica, TrainingJob } from './training-job.ts';

/** `<job>-<role>-<index>`; of a role whose one pod has no number, `<job>-<role>`. A pod that is there says itself what it is called. */
export function podNameOf(
  { metadata }: Pick<TrainingJob, 'metadata'>,
  { role, index, pod }: Replica & { readonly pod?: Pod },
): string {
  const uniqueNames = uniqueNamesOf(role);
  if (uniqueNames !== undefined) return pod?.metadata?.name ?? `${uniqueNames.prefix}-${index}`;
  return isUnnumbered(role) ? roleName({ metadata }, role) : replicaName(metadata.name, role.name, index);
}

/** `<job>-<role>`. */
export function roleName({ metadata }: Pick<TrainingJob, 'metadata'>, { name }: Pick<Replica['role'], 'name'>): string {
  return `${metadata.name}-${name.toLowerCase()}`;
}
