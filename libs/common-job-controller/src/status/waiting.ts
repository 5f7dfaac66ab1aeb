/**
 * The condition Waiting: why replicas do not run yet. Like ReplicaFailure it is not a state, so it precedes the states in the list and is
 * dated before them; `lastUpdateTime` is the time of the write. Problems with creating objects are in ReplicaFailure instead.
 */
import { isFinished, type JobCondition, type JobStatus, momentOf, type Pod, timestamp } from '@muster/job-api';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { TrainingJob } from '../model/training-job.ts';
import { earliest } from '../model/requeue.ts';
import type { GangStart } from '../gang/gang-start.ts';
import { frameworkWaits, roleWaits, type RoleWait } from '../gang/start-order.ts';
import { hasRun, type ReplicaPod } from '../model/replica-pod.ts';
import { crashLoopMessage, crashLoopOf } from '../pods/crash-loop.ts';
import { silenceLeftMs, silenceMessage } from '../pods/silent-pod.ts';
import { firstOf, startReason } from '../pods/start-reason.ts';
import type { Wait } from '../model/wait.ts';
import { startProblemOf } from '../pods/waiting-pods.ts';
import { missingPodLeftMs, missingPodMessage } from '../workloads/missing-pods.ts';
import type { World } from '../world/world.ts';
import { timeBesideState, withoutCondition } from '../model/conditions.ts';

/** Messages of schedulers and kubelets about the same problem change with each attempt. */
const NEW_MESSAGE_AFTER_MS = 60_000;

/** A framework's start order seldom delays a job for long, so it is not reported at first. */
const OWN_ORDER_AFTER_MS = 5000;

export function waitOf(
  adapter: FrameworkAdapter,
  job: TrainingJob,
  replicas: readonly ReplicaPod[],
  { wait: gang, scheduler }: Pick<GangStart, 'wait' | 'scheduler'>,
  now: Pick<World, 'nowMs' | 'stateAges'>,
): { readonly wait: Wait | undefined; readonly recheckAfterMs: number | undefined } {
  const { nowMs } = now;
  const { hasBackoffLimit } = adapter.lifecycle;
  const loops = replicas.flatMap(({ role, pod, state, workload }) => {
    const mayLoop = state === 'pending' || state === 'running';
    const isOfJob = role.identity?.kind === 'Job';
    const loop = mayLoop ? crashLoopOf(pod, now, isOfJob ? workload : undefined) : undefined;
    return loop === undefined ? [] : [{ ...loop, isOfJob }];
  });
  const [loop] = loops;
  const crash = loop && {
    reason: 'CrashLoop' as const,
    message: crashLoopMessage(loop, job.runPolicy, { isOfJob: loop.isOfJob, hasBackoffLimit }),
  };
  const waiting = replicas.filter((replica) => !hasRun(replica));
  const recheckMs = loops.map(({ leftMs }) => leftMs);
  if (waiting.length === 0) return { wait: crash, recheckAfterMs: earliest(...recheckMs) };
  const [byJob] = roleWaits(adapter, job, replicas);
  const [byFramework] = frameworkWaits(adapter, job, replicas, scheduler);
  const laterMs = (momentOf(job.status.startTime) ?? nowMs) + OWN_ORDER_AFTER_MS - nowMs;
  const isLater = byJob === undefined && byFramework !== undefined && laterMs > 0;
  const silences = waiting.flatMap((replica) => {
    const { pod } = replica;
    const leftMs = pod ? silenceLeftMs(pod, now.stateAges) : missingPodLeftMs(replica, now.stateAges);
    return leftMs === undefined ? [] : [{ replica, leftMs }];
  });
  const silent = silences.find(({ leftMs }) => leftMs <= 0)?.replica;
  const wait = firstWait(waiting, { gang, crash, silent, role: byJob ?? (isLater ? undefined : byFramework) });
  const laterMsOf = silences.map(({ leftMs }) => leftMs).filter((leftMs) => leftMs > 0);
  return { wait, recheckAfterMs: earliest(...recheckMs, ...laterMsOf, isLater ? laterMs : undefined) };
}

interface Waits {
  readonly gang: Wait | undefined;
  readonly crash: Wait | undefined;
  readonly silent: ReplicaPod | undefined;
  readonly role: RoleWait | undefined;
}

function firstWait(waiting: readonly ReplicaPod[], { gang, crash, silent, role }: Waits): Wait | undefined {
  const pods = waiting
    .flatMap(({ pod }) => pod ?? [])
    .filter(({ metadata }) => metadata?.deletionTimestamp === undefined)
    .map((pod) => ({ pod, reason: startReason(pod) }));
  const ofPods = pods.map(({ reason }) => reason);
  const others = [silent && ('NoReport' as const), role && ('StartOrder' as const)];
  const reason = firstOf(new Set([gang?.reason, crash?.reason, ...ofPods, ...others]));
  if (reason === undefined) return undefined;
  if (reason === gang?.reason) return gang;
  if (reason === 'NoReport' && silent !== undefined) {
    return { reason, message: silent.pod ? silenceMessage(silent.pod) : missingPodMessage(silent) };
  }
  if (reason === crash?.reason) return crash;
  const pod = pods.find((each) => each.reason === reason)?.pod;
  return { reason, message: (pod && podMessage(pod)) ?? role?.note ?? '' };
}

function podMessage(pod: Pod): string {
  const gated = `Pod ${pod.metadata?.name} has scheduling gates: it is not scheduled until they are removed`;
  return startProblemOf(pod)?.note ?? gated;
}

export function withWaiting(status: JobStatus, wait: Wait | undefined, nowMs: number): JobStatus {
  const { conditions = [] } = status;
  const before = conditions.find(({ type }) => type === 'Waiting');
  const time = timeBesideState(conditions, nowMs);
  const next = wait === undefined || isFinished(status) ? undefined : waitingCondition(before, wait, time, nowMs);
  if (next === before) return status;
  const others = withoutCondition(conditions, 'Waiting');
  const isFirst = ({ type }: JobCondition) => type === 'ReplicaFailure';
  const rest = others.filter((condition) => !isFirst(condition));
  return { ...status, conditions: [...others.filter(isFirst), ...(next === undefined ? [] : [next]), ...rest] };
}

function waitingCondition(
  before: JobCondition | undefined,
  { reason, message }: Wait,
  lastTransitionTime: string,
  nowMs: number,
): JobCondition {
  const now = timestamp(nowMs);
  if (before?.reason !== reason)
    return { type: 'Waiting', status: 'True', reason, message, lastUpdateTime: now, lastTransitionTime };
  const isOld = nowMs - (momentOf(before.lastUpdateTime) ?? 0) >= NEW_MESSAGE_AFTER_MS;
  if (isOld && before.message !== message) return { ...before, message, lastUpdateTime: now, lastTransitionTime };
  return before.lastTransitionTime === lastTransitionTime ? before : { ...before, lastTransitionTime };
}
