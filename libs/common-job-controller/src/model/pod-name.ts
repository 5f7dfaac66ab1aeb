import { replicaName, type Pod } from '@muster/job-api';
import { uniqueNamesOf, isUnnumbered } from './replica-identity.ts';
import type { Replica, TrainingJob } from './training-job.ts';

/** `<job>-<role>-<index>`, or `<job>-<role>` for an unnumbered role. An existing pod of a role with unique names keeps its name. */
export function podNameOf(
  { metadata }: Pick<TrainingJob, 'metadata'>,
  { role, index, pod }: Replica & { readonly pod?: Pod },
): string {
  const uniqueNames = uniqueNamesOf(role);
  if (uniqueNames !== undefined) return pod?.metadata?.name ?? `${uniqueNames.prefix}-${index}`;
  return isUnnumbered(role) ? roleName({ metadata }, role) : replicaName(metadata.name, role.name, index);
}

export function roleName({ metadata }: Pick<TrainingJob, 'metadata'>, { name }: Pick<Replica['role'], 'name'>): string {
  return `${metadata.name}-${name.toLowerCase()}`;
}
