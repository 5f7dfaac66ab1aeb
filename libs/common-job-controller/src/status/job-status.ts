/** The status depends on the World only, so a second run over the same World writes nothing. */
import {
  type ConditionType,
  hasCondition,
  type JobCondition,
  type JobStatus,
  momentOf,
  reasonOf,
  type ReplicaStatus,
  timestamp,
} from '@muster/job-api';
import { uniqueNamesOf } from '../model/replica-identity.ts';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { ReplicaRole, TrainingJob } from '../model/training-job.ts';
import { withCondition } from '../model/conditions.ts';
import { formatIndexes } from '../model/index-set.ts';
import { labelsOfPods, selectorString } from '../contract/labels.ts';
import { isReady } from '../pods/replica-pods.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';
import { rememberedIndexes } from '../replicas/scale-down.ts';
import { keptAttempt } from '../model/attempt.ts';
import { needsRestart } from '../restarts/failure-rule.ts';
import { wasEndedByLimit } from './run-limits.ts';
import type { JobIdentity } from '../model/job-identity.ts';

/** Another operator may have dropped the condition Created. It is dated a second before the job. */
export function withCreated(
  { resource: { kind }, metadata: { name, creationTimestamp } }: JobIdentity,
  conditions: readonly JobCondition[],
  nowMs: number,
): JobCondition[] {
  if (conditions.some(({ type }) => type === 'Created')) return [...conditions];
  const message = `${kind} ${name} is created.`;
  const [condition] = withCondition([], { type: 'Created', reason: reasonOf(kind, 'Created'), message }, nowMs);
  const lastTransitionTime = timestamp((momentOf(creationTimestamp) ?? nowMs) - 1000);
  return [{ ...condition!, lastTransitionTime }, ...conditions];
}

/** In Kubeflow's form. A restarted failure is not in `failed`: clients such as Argo Workflows fail on the first one. */
export function replicaStatuses(
  adapter: FrameworkAdapter,
  job: TrainingJob,
  replicas: readonly ReplicaPod[],
  hasEnded: boolean,
): Record<string, ReplicaStatus> {
  const statuses = job.roles.map((role) => {
    const own = replicas.filter((replica) => replica.role === role);
    return [role.name, { ...countsOf(role, own, hasEnded), ...keptFields(adapter, job, role, own) }] as const;
  });
  return Object.fromEntries(statuses);
}

function countsOf(role: ReplicaRole, own: readonly ReplicaPod[], hasEnded: boolean): ReplicaStatus {
  const isFailed = (replica: ReplicaPod) => replica.state === 'failed' && (hasEnded || !needsRestart(replica));
  const among = (wanted: ReplicaPod['state']) => own.filter(({ state }) => state === wanted);
  const [active, succeeded, failed] = [among('running').length, among('succeeded'), own.filter(isFailed).length];
  const started = own.filter(({ hasStarted }) => hasStarted);
  const indexes = rememberedIndexes(role, own);
  return {
    ...(active > 0 && { active }),
    ...(succeeded.length > 0 && { succeeded: succeeded.length }),
    ...(failed > 0 && { failed }),
    ...(succeeded.length > 0 && { succeededIndexes: formatIndexes(succeeded.map(({ index }) => index)) }),
    ...(started.length > 0 && { startedIndexes: formatIndexes(started.map(({ index }) => index)) }),
    ...(indexes !== undefined && { indexes }),
  };
}

/** The fields of every role, also without replicas. */
function keptFields(
  adapter: FrameworkAdapter,
  job: TrainingJob,
  role: ReplicaRole,
  own: readonly ReplicaPod[],
): Pick<ReplicaStatus, 'attempt' | 'nextOrdinal' | 'selector'> {
  const nextOrdinal = job.status.replicaStatuses?.[role.name]?.nextOrdinal ?? 0;
  return {
    ...keptAttempt(job, role),
    ...(uniqueNamesOf(role) && { nextOrdinal: Math.max(nextOrdinal, ...own.map(({ index }) => index + 1)) }),
    ...(adapter.status?.hasSelectors === true && { selector: selectorString(labelsOfPods(adapter, job, role)) }),
  };
}

export function idleReplicaStatuses(adapter: FrameworkAdapter, job: TrainingJob): Record<string, ReplicaStatus> {
  return Object.fromEntries(job.roles.map((role) => [role.name, keptFields(adapter, job, role, [])]));
}

export function readyCount(replicas: readonly ReplicaPod[]): string {
  const ready = replicas.filter(({ state, pod }) => state === 'succeeded' || (state === 'running' && isReady(pod)));
  return `${ready.length}/${replicas.length}`;
}

export function hasBecome(before: JobStatus, after: JobStatus, type: ConditionType): boolean {
  return hasCondition(after.conditions, type) && !hasCondition(before.conditions, type);
}

/** Running replicas of a succeeded job count as succeeded, as upstream. Stopped ones of a failed job are not active. */
export function lastCounts(job: TrainingJob, status: JobStatus, replicas: readonly ReplicaPod[]): JobStatus {
  const hasSucceeded = hasCondition(status.conditions, 'Succeeded');
  const stopped = rolesStopped({ ...job, status });
  const counts = Object.entries(status.replicaStatuses ?? {}).map(([role, { active = 0, succeeded = 0, ...rest }]) => {
    const done = hasSucceeded ? succeeded + active : succeeded;
    const stays = hasSucceeded || stopped.has(role) ? 0 : active;
    return [role, { ...rest, ...(stays > 0 && { active: stays }), ...(done > 0 && { succeeded: done }) }] as const;
  });
  const done = counts.reduce((sum, [, { succeeded = 0 }]) => sum + succeeded, 0);
  const running = replicas.filter(({ state, role }) => state === 'running' && !stopped.has(role.name));
  const ready = hasSucceeded ? done : done + running.filter(({ pod }) => isReady(pod)).length;
  return { ...status, replicaStatuses: Object.fromEntries(counts), ready: `${ready}/${replicas.length}` };
}

function rolesStopped(job: TrainingJob): Set<string> {
  const { cleanPodPolicy } = job.runPolicy;
  const areAll = cleanPodPolicy === 'Running' || cleanPodPolicy === 'All' || wasEndedByLimit(job);
  const stopped = job.roles.filter(({ endsByItself }) => areAll || (cleanPodPolicy !== 'None' && !endsByItself));
  return new Set(stopped.map(({ name }) => name));
}
