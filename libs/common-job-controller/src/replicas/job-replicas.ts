import { MAX_REPLICAS, type Pod, type ReplicaStatus } from '@muster/job-api';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import { NO_CONTEXT } from '../model/job-context.ts';
import type { ReplicaRole, TrainingJob, RoleTally } from '../model/training-job.ts';
import { podsPerReplica, replicaKey } from '../model/replica-hosts.ts';
import { parseIndexes } from '../model/index-set.ts';
import { isIndispensable, namedForScaleDown } from './indispensable-pods.ts';
import { isOfThisRun, isOutdated } from '../model/attempt.ts';
import { isRestartingInPlace } from '../pods/in-place.ts';
import { withFailurePolicy } from '../restarts/with-failure-policy.ts';
import { withStart } from '../failures/lost-replicas.ts';
import { isControlledBy } from '../model/ownership.ts';
import { podNameOf } from '../model/pod-name.ts';
import { workloadResourceOf } from '../model/replica-identity.ts';
import { uniquelyNamedReplicas, type UniquelyNamedRole, type RolePod } from './uniquely-named-replicas.ts';
import { isReady, stateOf } from '../pods/replica-pods.ts';
import type { ReplicaPod, JobReplicas } from '../model/replica-pod.ts';
import { roleIndexes } from './scale-down.ts';
import type { World } from '../world/world.ts';
import {
  workloadFailure,
  replicaOfBatchJob,
  replicaOfStatefulSet,
  podsOf,
  workloadOf,
} from '../workloads/workloads.ts';
import { needsRestart } from '../restarts/failure-rule.ts';

/**
 * A pod is that of a replica if labels and name match. A pod with only the name blocks the replica (`blockedBy`).
 * @param pods all that have the job's labels or that it controls
 * @param deletedFirst names of pods that are deleted first if a role has become smaller
 */
export function jobReplicas(
  adapter: FrameworkAdapter,
  job: TrainingJob,
  pods: readonly Pod[],
  world: PartOfWorld = {},
  deletedFirst: ReadonlySet<string> = new Set(),
): JobReplicas {
  const isOwn = (pod: Pod) => isControlledBy(job.metadata.uid, pod);
  const own = pods.filter(isOwn);
  const gone = (world.deletedPods ?? []).filter((pod) => isOwn(pod) && isOfThisRun(pod, job));
  const all = { adapter, job, pods, own, gone, world, named: namedForScaleDown(job), deletedFirst };
  const wanted = job.roles.flatMap((role) => replicasOf(role, all));
  const placed = new Set(wanted.map(({ pod }) => pod));
  return {
    wanted: withFailurePolicy(adapter, job, wholeReplicas(wanted), world.stateAges ?? NO_CONTEXT.stateAges),
    surplus: own.filter((pod) => !placed.has(pod)),
  };
}

type PartOfWorld = Partial<
  Pick<World, 'stateAges' | 'ownedResources' | 'hasWrittenStatus' | 'conflictingPods' | 'deletedPods'>
>;

interface AllPods {
  readonly adapter: FrameworkAdapter;
  readonly job: TrainingJob;
  readonly pods: readonly Pod[];
  readonly own: readonly Pod[];
  readonly gone: readonly Pod[];
  readonly world: PartOfWorld;
  readonly named: ReadonlySet<string>;
  readonly deletedFirst: ReadonlySet<string>;
}

function replicasOf(role: ReplicaRole, all: AllPods): readonly ReplicaPod[] {
  if (hasUniqueNames(role)) return uniquelyNamedOf(role, all);
  return workloadResourceOf(role) === undefined ? numberedOf(role, all) : ofWorkload(role, all);
}

function recordOf({ job }: AllPods, { name }: ReplicaRole): ReplicaStatus {
  return job.status.replicaStatuses?.[name] ?? {};
}

function hasUniqueNames(role: ReplicaRole): role is UniquelyNamedRole {
  return role.identity?.kind === 'UniqueNames';
}

function uniquelyNamedOf(role: UniquelyNamedRole, all: AllPods): readonly ReplicaPod[] {
  const pods = all.own.flatMap((pod) => rolePodOf(all, role, pod));
  const { hasWrittenStatus = false, conflictingPods } = all.world;
  const isTaken = (index: number) => conflictingPods?.has(podNameOf(all.job, { role, index })) ?? false;
  const record = { ...recordOf(all, role), isOwnRecord: hasWrittenStatus, isTaken };
  return uniquelyNamedReplicas(role, record, pods, (pod) => stateOfReplica(role, pod));
}

function ofWorkload(role: ReplicaRole, all: AllPods): readonly ReplicaPod[] {
  const { job, world } = all;
  const existing = workloadOf(job, role, world.ownedResources ?? []);
  const workload = existing !== undefined && isOutdated(existing, job, role) ? undefined : existing;
  const pods = podsOf(workload, all.pods);
  if (role.identity?.kind === 'Job') {
    const hasSucceeded = parseIndexes(recordOf(all, role).succeededIndexes, 1).has(0);
    return [replicaOfBatchJob(role, workload, pods, hasSucceeded)];
  }
  const byIndex = podsByIndex(all, role, pods);
  return Array.from({ length: role.replicas }, (_, index) =>
    replicaOfStatefulSet(role, index, workload, byIndex.get(index)),
  );
}

function numberedOf(role: ReplicaRole, all: AllPods): ReplicaPod[] {
  const { adapter, job, own, gone, named, deletedFirst } = all;
  const { indexes, succeededIndexes, startedIndexes } = recordOf(all, role);
  const held = new Set(own.map(({ metadata }) => metadata?.name));
  const byIndex = podsByIndex(all, role, own);
  const goneByIndex = podsByIndex(all, role, gone);
  const stays = (index: number) => isIndispensable(adapter, job, { role, index });
  const succeeded = parseIndexes(succeededIndexes, MAX_REPLICAS);
  const isElastic = adapter.elastic?.bounds?.(job) !== undefined;
  const isIdle = (index: number) => isElastic && !succeeded.has(index) && !isActive(role, byIndex.get(index));
  const members = roleIndexes(role, indexes, byIndex, { named, deletedFirst, stays, isIdle });
  const limit = (members.at(-1) ?? -1) + 1;
  const started = parseIndexes(startedIndexes, limit);
  return members.map((index) => {
    // A pod of an earlier attempt is surplus, and is deleted.
    const current = (holder: Pod | undefined) => (holder && isOutdated(holder, job, role) ? undefined : holder);
    const pod = current(byIndex.get(index));
    // In an attempt, a replica that has succeeded does not run again, whatever happens to its pod, even before the success is recorded.
    const last = byIndex.has(index) ? pod : current(goneByIndex.get(index));
    const hasSucceeded = succeeded.has(index) || stateOfReplica(role, last) === 'succeeded';
    const state = hasSucceeded ? 'succeeded' : stateOfReplica(role, pod);
    const replica = withStart({ role, index, ...(pod && { pod }), state }, started.has(index));
    const isHeld = replica.state === 'missing' && held.has(podNameOf(job, { role, index }));
    return isHeld ? { ...replica, blockedBy: 'name' } : replica;
  });
}

function isActive({ containerName }: ReplicaRole, pod: Pod | undefined): boolean {
  const state = pod === undefined ? 'missing' : stateOf(pod, containerName);
  if (state !== 'pending') return state === 'running' || state === 'succeeded';
  return pod?.status?.conditions?.some(({ type, status }) => type === 'PodScheduled' && status === 'False') !== true;
}

function podsByIndex({ adapter, job }: AllPods, role: ReplicaRole, pods: readonly Pod[]): Map<number, Pod> {
  const byIndex = new Map<number, Pod>();
  for (const pod of pods) {
    const { role: name, index } = adapter.labels.replicaOf(pod) ?? {};
    if (index === undefined || name !== role.name.toLowerCase()) continue;
    if (pod.metadata?.name === podNameOf(job, { role, index })) byIndex.set(index, pod);
  }
  return byIndex;
}

/** A replica of several pods has succeeded when all have. Until then, succeeded pods count as running. */
function wholeReplicas(wanted: readonly ReplicaPod[]): readonly ReplicaPod[] {
  const several = wanted.filter(({ role }) => podsPerReplica(role) > 1);
  const running = new Set(several.filter(({ state }) => state !== 'succeeded').map(replicaKey));
  if (running.size === 0) return wanted;
  return wanted.map((replica) => {
    if (replica.state !== 'succeeded' || !running.has(replicaKey(replica))) return replica;
    return { ...replica, state: replica.pod === undefined ? 'missing' : 'running' };
  });
}

function stateOfReplica({ containerName, mustNotEnd }: ReplicaRole, pod: Pod | undefined): ReplicaPod['state'] {
  if (pod === undefined) return 'missing';
  if (isRestartingInPlace(pod, containerName)) return 'pending';
  const state = stateOf(pod, containerName);
  return state === 'succeeded' && mustNotEnd === true ? 'failed' : state;
}

function rolePodOf({ adapter, job, named }: AllPods, role: UniquelyNamedRole, pod: Pod): RolePod[] {
  const replica = adapter.labels.replicaOf(pod);
  if (replica?.role !== role.name.toLowerCase()) return [];
  const isNamed = named.has(pod.metadata?.name ?? '');
  const isDismissed = isNamed || isOutdated(pod, job, role) || role.identity.isCurrent?.(pod) === false;
  return [{ pod, index: replica.index, isDismissed }];
}

/** `failed` excludes replicas that are restarted. */
export function tallies(job: TrainingJob, replicas: readonly ReplicaPod[]): RoleTally[] {
  return job.roles.map((role) => {
    const own = replicas.filter((replica) => replica.role === role);
    const running = own.filter(({ state }) => state === 'running');
    const failure = workloadFailure(own.find((each) => !needsRestart(each))?.workload);
    return {
      role,
      running: running.length,
      ready: running.filter(({ pod }) => isReady(pod)).length,
      succeeded: own.filter(({ state }) => state === 'succeeded').length,
      failed: own.filter((replica) => replica.state === 'failed' && !needsRestart(replica)).length,
      hasFirstSucceeded: own.some(({ index, state }) => index === 0 && state === 'succeeded'),
      ...(failure && { failure }),
    };
  });
}
