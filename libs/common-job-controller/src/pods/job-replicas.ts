/** The job's pods put into their slots: for each role and index, the pod that is there and what it is doing. */
import { ANNOTATIONS, type Pod } from '@muster/job-api';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { ReplicaRole, TrainingJob, RoleTally } from '../model/training-job.ts';
import { podsPerReplica, replicaKey } from '../model/replica-hosts.ts';
import { parseIndexes } from '../model/index-set.ts';
import { isIndispensable } from '../policies/indispensable-pods.ts';
import { isOutdated } from '../restarts/attempt.ts';
import { failureRule } from '../restarts/failure-rule.ts';
import { withStart } from '../restarts/lost-replicas.ts';
import { ownershipOf } from '../model/ownership.ts';
import { podNameOf } from '../model/pod-name.ts';
import { isReady, stateOf, type ReplicaPod } from './replica-pods.ts';
import { roleIndexes } from '../status/role-indexes.ts';
import type { World } from '../reconcile/world.ts';
import { failureOf, jobReplica, memberOf, podsOf, workloadOf } from '../workloads/workloads.ts';

export interface JobReplicas {
  /** One for each replica that the spec asks for, in the order of roles and indexes. */
  readonly wanted: readonly ReplicaPod[];
  /** Pods of the job beyond that: an index that the role no longer has, or no role, or an earlier attempt. */
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
    const later = unwritten.replicaStatuses?.[role.name];
    const succeededIndexes = bothOf(known.succeededIndexes, later?.succeededIndexes);
    const startedIndexes = bothOf(known.startedIndexes, later?.startedIndexes);
    const nameOf = (index: number) => podNameOf(job, { role, index });
    const found = workloadOf(job, role, ownedResources);
    const workload = found !== undefined && isOutdated(found, job, role) ? undefined : found;
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
      const holder = byIndex.get(index);
      // One of an earlier attempt is going, however it ends.
      const pod = holder !== undefined && isOutdated(holder, job, role) ? undefined : holder;
      if (pod !== undefined) left.delete(pod);
      const replica = withStart(replicaPod(role, index, pod, succeeded.has(index)), started.has(index));
      const isHeld = replica.state === 'missing' && held.has(nameOf(index));
      wanted.push(isHeld ? { ...replica, state: 'terminating' } : replica);
    }
  }
  return { wanted: wholeReplicas(wanted).map((replica) => withScope(adapter, job, replica)), surplus: [...left] };
}

/** A replica of several pods has ended well when all of them have; until then the first ones are still part of what runs. */
function wholeReplicas(wanted: readonly ReplicaPod[]): readonly ReplicaPod[] {
  const several = wanted.filter(({ role }) => podsPerReplica(role) > 1);
  const running = new Set(several.filter(({ state }) => state !== 'succeeded').map(replicaKey));
  if (running.size === 0) return wanted;
  return wanted.map((replica) => {
    if (replica.state !== 'succeeded' || !running.has(replicaKey(replica))) return replica;
    return { ...replica, state: replica.pod === undefined ? 'missing' : 'running' };
  });
}

/** A failed replica with what is recreated for it, where its framework says so. */
function withScope(adapter: FrameworkAdapter, job: TrainingJob, replica: ReplicaPod): ReplicaPod {
  const restartScope = replica.state === 'failed' ? adapter.failures?.scopeOf(job, replica) : undefined;
  return restartScope === undefined ? replica : { ...replica, restartScope };
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

/** The names of pods that are to go first: by the job's annotation, or by its kind's own spec. */
export function namedForScaleDown({ metadata, roles }: TrainingJob): Set<string> {
  const names = metadata.annotations?.[ANNOTATIONS.scaleDownPods]?.split(',') ?? [];
  return new Set([...names.map((name) => name.trim()), ...roles.flatMap(({ scaleDownFirst = [] }) => scaleDownFirst)]);
}

/** Whether the replica has failed in a way that is made good. */
export function isToRestart(replica: ReplicaPod): boolean {
  return failureRule(replica) !== undefined;
}

/** The role's counts, with the replicas that are restarted left out of `failed`. */
export function tallies(job: TrainingJob, replicas: readonly ReplicaPod[]): RoleTally[] {
  return job.roles.map((role) => {
    const own = replicas.filter((replica) => replica.role === role);
    const running = own.filter(({ state }) => state === 'running');
    const failure = failureOf(own.find((each) => each.workload !== undefined && !isToRestart(each))?.workload);
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
