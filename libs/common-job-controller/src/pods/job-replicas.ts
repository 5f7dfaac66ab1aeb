/** The job's pods put into their slots: for each role and index, the pod that is there and what it is doing. */
import { ANNOTATIONS, type Pod } from '@muster/job-api';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { ReplicaRole, TrainingJob, RoleTally } from '../model/training-job.ts';
import { parseIndexes } from '../model/index-set.ts';
import { isIndispensable } from '../policies/indispensable-pods.ts';
import { isGoneForGood, withStart } from '../restarts/lost-replicas.ts';
import { ownershipOf } from '../model/ownership.ts';
import { endOf } from './pod-end.ts';
import { podNameOf } from '../model/pod-name.ts';
import { exitCodeOf, isReady, stateOf, type ReplicaPod } from './replica-pods.ts';
import { isRestarted } from '../restarts/restart-policy.ts';
import { roleIndexes } from '../status/role-indexes.ts';
import type { World } from '../reconcile/world.ts';
import { failureOf, jobReplica, memberOf, podsOf, workloadOf } from '../workloads/workloads.ts';

export interface JobReplicas {
  /** One for each replica that the spec asks for, in the order of roles and indexes. */
  readonly wanted: readonly ReplicaPod[];
  /** Pods of the job beyond that: an index that the role no longer has, or no role. */
  readonly surplus: readonly Pod[];
}

/**
 * `pods` are those that the job controls, or that a workload of its does (`owned resources`). Two pods of one replica cannot be: a
 * replica's pod has one name. One with the labels of a replica and another name is not it, but holds that name until it is
 * gone.
 */
export function jobReplicas(
  adapter: FrameworkAdapter,
  job: TrainingJob,
  pods: readonly Pod[],
  { ownedResources = [], unwritten = {} }: Partial<Pick<World, 'ownedResources' | 'unwritten'>> = {},
): JobReplicas {
  const replicaOf = (pod: Pod) => adapter.labels.replicaOf(pod);
  const own = pods.filter((pod) => ownershipOf(pod, job.metadata.uid) === 'owned');
  const left = new Set(own);
  const held = new Set(own.map(({ metadata }) => metadata?.name));
  const named = namedForScaleDown(job);
  const wanted: ReplicaPod[] = [];
  for (const role of job.roles) {
    const { indexes, ...known } = job.status.replicaStatuses?.[role.name] ?? {};
    const later = unwritten[role.name];
    const succeededIndexes = bothOf(known.succeededIndexes, later?.succeededIndexes);
    const startedIndexes = bothOf(known.startedIndexes, later?.startedIndexes);
    const nameOf = (index: number) => podNameOf(job, { role, index });
    const workload = workloadOf(job, role, ownedResources);
    const mine = role.workload === undefined ? own : podsOf(workload, pods);
    if (role.workload?.kind === 'Job') {
      wanted.push(jobReplica(role, workload, mine, parseIndexes(succeededIndexes, 1).has(0)));
      continue;
    }
    const byIndex = new Map<number, Pod>();
    for (const pod of mine) {
      const replica = replicaOf(pod);
      const isMember = replica?.role === role.name.toLowerCase() && pod.metadata?.name === nameOf(replica.index);
      if (isMember) byIndex.set(replica.index, pod);
    }
    if (role.workload?.kind === 'StatefulSet') {
      for (let index = 0; index < role.replicas; index++) {
        wanted.push(memberOf(role, index, workload, byIndex.get(index)));
      }
      continue;
    }
    const stays = (index: number) => isIndispensable(adapter, job, { role, index });
    const members = roleIndexes(role, indexes, byIndex, { named, stays });
    const limit = (members.at(-1) ?? -1) + 1;
    const succeeded = parseIndexes(succeededIndexes, limit);
    const started = parseIndexes(startedIndexes, limit);
    for (const index of members) {
      const pod = byIndex.get(index);
      if (pod !== undefined) left.delete(pod);
      const replica = withStart(replicaPod(role, index, pod, succeeded.has(index)), started.has(index));
      const isHeld = replica.state === 'missing' && held.has(nameOf(index));
      wanted.push(isHeld ? { ...replica, state: 'terminating' } : replica);
    }
  }
  return { wanted, surplus: [...left] };
}

/**
 * Whether the pod has the labels and the name of a replica that the job's roles could have, whatever its index. An earlier, larger
 * job of the same name may have left it.
 */
export function isNamedAsReplica({ labels }: Pick<FrameworkAdapter, 'labels'>, job: TrainingJob, pod: Pod): boolean {
  const replica = labels.replicaOf(pod);
  const role = job.roles.find(({ name }) => name.toLowerCase() === replica?.role);
  if (replica === undefined || role === undefined || role.workload !== undefined) return false;
  return pod.metadata?.name === podNameOf(job, { role, index: replica.index });
}

/** What is on record, and what is yet to be. */
function bothOf(written: string | undefined, unwritten: string | undefined): string | undefined {
  return unwritten === undefined ? written : `${written ?? ''},${unwritten}`;
}

/** What ended well is not run again, whatever has become of its pod. */
function replicaPod(role: ReplicaRole, index: number, pod: Pod | undefined, hasSucceeded: boolean): ReplicaPod {
  if (pod === undefined) return { role, index, state: hasSucceeded ? 'succeeded' : 'missing' };
  return { role, index, pod, state: hasSucceeded ? 'succeeded' : stateOf(pod, role.containerName) };
}

/** The names of pods that the job's author wants to go first. */
export function namedForScaleDown({ metadata }: TrainingJob): Set<string> {
  const names = metadata.annotations?.[ANNOTATIONS.scaleDownPods]?.split(',') ?? [];
  return new Set(names.map((name) => name.trim()));
}

/** Whether the replica has failed in a way that its restart policy makes good. What a workload runs, it restarts itself. */
export function isToRestart(replica: ReplicaPod): boolean {
  const { state, pod, role } = replica;
  if (state !== 'failed' || pod === undefined || role.workload !== undefined || isGoneForGood(replica)) return false;
  return isRestarted(role.restartPolicy, {
    exitCode: exitCodeOf(pod, role.containerName),
    end: endOf(pod),
  });
}

/** The role's counts, with the replicas that are restarted left out of `failed`. */
export function tallies(job: TrainingJob, replicas: readonly ReplicaPod[]): RoleTally[] {
  return job.roles.map((role) => {
    const own = replicas.filter((replica) => replica.role === role);
    const running = own.filter(({ state }) => state === 'running');
    const failure = failureOf(own.find(({ workload }) => workload !== undefined)?.workload);
    return {
      role,
      running: running.length,
      ready: running.filter(({ pod }) => pod !== undefined && isReady(pod)).length,
      succeeded: own.filter(({ state }) => state === 'succeeded').length,
      failed: own.filter((replica) => replica.state === 'failed' && !isToRestart(replica)).length,
      hasFirstSucceeded: own.some(({ index, state }) => index === 0 && state === 'succeeded'),
      ...(failure && { failure }),
    };
  });
}
