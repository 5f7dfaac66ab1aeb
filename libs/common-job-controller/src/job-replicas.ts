/** The job's pods put into their slots: for each role and index, the pod that is there and what it is doing. */
import { ANNOTATIONS, replicaName, type Pod } from '@muster/job-api';
import type { FrameworkAdapter, Role, RoleTally, TrainingJob } from './adapter.ts';
import { parseIndexes } from './index-set.ts';
import { exitCodeOf, indexOf, isDisrupted, roleLabelOf, stateOf, type ReplicaPod } from './replica-pods.ts';
import { isRestarted } from './restart-policy.ts';
import { roleIndexes } from './role-indexes.ts';

export interface JobReplicas {
  /** One for each replica that the spec asks for, in the order of roles and indexes. */
  readonly wanted: readonly ReplicaPod[];
  /** Pods of the job beyond that: an index that the role no longer has, or no role. */
  readonly surplus: readonly Pod[];
}

/**
 * `pods` are those that the job controls. Two pods of one replica cannot be: a replica's pod has one name. One with the
 * labels of a replica and another name is not it, but holds that name until it is gone.
 */
export function jobReplicas(
  { containerName }: Pick<FrameworkAdapter, 'containerName'>,
  job: TrainingJob,
  pods: readonly Pod[],
): JobReplicas {
  const left = new Set(pods);
  const held = new Set(pods.map(({ metadata }) => metadata?.name));
  const named = namedForScaleDown(job);
  const wanted: ReplicaPod[] = [];
  for (const role of job.roles) {
    const nameOf = (index: number) => replicaName(job.metadata.name, role.name, index);
    const own = pods
      .filter((pod) => roleLabelOf(pod) === role.name.toLowerCase())
      .filter((pod) => pod.metadata?.name === nameOf(indexOf(pod)));
    const byIndex = new Map(own.map((pod) => [indexOf(pod), pod]));
    const { indexes, succeededIndexes } = job.status.replicaStatuses?.[role.name] ?? {};
    const members = roleIndexes(role, indexes, own, named);
    const succeeded = parseIndexes(succeededIndexes, (members.at(-1) ?? -1) + 1);
    for (const index of members) {
      const pod = byIndex.get(index);
      if (pod !== undefined) left.delete(pod);
      const replica = replicaPod(role, index, pod, succeeded.has(index), containerName);
      const isHeld = replica.state === 'missing' && held.has(nameOf(index));
      wanted.push(isHeld ? { ...replica, state: 'terminating' } : replica);
    }
  }
  return { wanted, surplus: [...left] };
}

/** What ended well is not run again, whatever has become of its pod. */
function replicaPod(
  role: Role,
  index: number,
  pod: Pod | undefined,
  hasSucceeded: boolean,
  containerName: string,
): ReplicaPod {
  if (pod === undefined) return { role, index, state: hasSucceeded ? 'succeeded' : 'missing' };
  return { role, index, pod, state: hasSucceeded ? 'succeeded' : stateOf(pod, containerName) };
}

function namedForScaleDown({ metadata }: TrainingJob): Set<string> {
  const names = metadata.annotations?.[ANNOTATIONS.scaleDownPods]?.split(',') ?? [];
  return new Set(names.map((name) => name.trim()));
}

/** Whether the replica has failed in a way that its restart policy makes good. */
export function isToRestart({ state, pod, role }: ReplicaPod, containerName: string): boolean {
  if (state !== 'failed' || pod === undefined) return false;
  return isRestarted(role.restartPolicy, {
    exitCode: exitCodeOf(pod, containerName),
    isDisruption: isDisrupted(pod),
  });
}

/** The role's counts, with the replicas that are restarted left out of `failed`. */
export function tallies(job: TrainingJob, replicas: readonly ReplicaPod[], containerName: string): RoleTally[] {
  return job.roles.map((role) => {
    const own = replicas.filter((replica) => replica.role === role);
    return {
      role,
      running: own.filter(({ state }) => state === 'running').length,
      succeeded: own.filter(({ state }) => state === 'succeeded').length,
      failed: own.filter((replica) => replica.state === 'failed' && !isToRestart(replica, containerName)).length,
      hasFirstSucceeded: own.some(({ index, state }) => index === 0 && state === 'succeeded'),
    };
  });
}
