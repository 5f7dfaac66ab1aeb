/** The size of a role with an invalid number of replicas, in a job that was never validated: what exists. */
import { MAX_REPLICAS, type Pod } from '@muster/job-api';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { ReplicaRole, TrainingJob } from '../model/training-job.ts';
import type { OwnedResource } from '../model/owned-resources.ts';
import { parseIndexes } from '../model/index-set.ts';
import { isControlledBy } from '../model/ownership.ts';
import { workloadOf } from '../workloads/workloads.ts';

export function sizeOf(replicas: number): number {
  return Number.isInteger(replicas) && replicas >= 0 && replicas <= MAX_REPLICAS ? replicas : NaN;
}

export function isSizeKnown({ replicas }: Pick<ReplicaRole, 'replicas'>): boolean {
  return !Number.isNaN(sizeOf(replicas));
}

/** The size by the role's workload, its status or its pods. Indexes below an existing pod's count, with or without a pod. */
export function asLargeAsItIs(
  adapter: FrameworkAdapter,
  job: TrainingJob,
  role: ReplicaRole,
  { pods, ownedResources }: { readonly pods: readonly Pod[]; readonly ownedResources: readonly OwnedResource[] },
): ReplicaRole {
  if (role.identity?.kind === 'Job') return { ...role, replicas: 1 };
  const { indexes } = job.status.replicaStatuses?.[role.name] ?? {};
  const remembered = indexes === undefined ? undefined : parseIndexes(indexes, MAX_REPLICAS).size;
  const counts = pods.map((pod) => {
    const replica = adapter.labels.replicaOf(pod);
    const isMember = replica?.role === role.name.toLowerCase() && isControlledBy(job.metadata.uid, pod);
    return isMember ? (replica.index ?? 0) + 1 : 0;
  });
  // A role without pods has not succeeded, so at least one replica is expected.
  const least = role.replicas === 0 ? 0 : 1;
  const counted = counts.reduce((most, count) => Math.max(most, count), least);
  return { ...role, replicas: workloadOf(job, role, ownedResources)?.spec?.replicas ?? remembered ?? counted };
}
