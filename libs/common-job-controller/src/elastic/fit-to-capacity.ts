/**
 * An elastic job continues without workers that were unschedulable for a while or were preempted, if its user enables it. After an
 * interval, which grows with each failed attempt, all are created again. Running pods are never deleted for that, and the minimum is always
 * requested.
 */
import { type ElasticStatus, type EventReason, momentOf, type Pod, timestamp } from '@muster/job-api';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { FitToCapacity } from '../contract/facets.ts';
import type { TrainingJob } from '../model/training-job.ts';
import { disruptionOf } from '../pods/pod-end.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';
import { isIndispensable } from '../replicas/indispensable-pods.ts';
import type { PlannedEvent } from '../model/event.ts';
import { earliest } from '../model/requeue.ts';
import { sizeBy } from './granted-size.ts';
import type { ElasticStep } from '../world/plan-context.ts';

/** The longest interval between two attempts to grow. */
const LONGEST_RETRY_MS = 3_600_000;

interface FitContext {
  readonly fit: FitToCapacity;
  readonly before: ElasticStatus | undefined;
  readonly request: Pick<ElasticStatus, 'minReplicas' | 'maxReplicas' | 'wanted'>;
  readonly nowMs: number;
}

/** @param replicas as many as the status has granted */
export function elasticStep(
  adapter: FrameworkAdapter,
  job: TrainingJob,
  replicas: readonly ReplicaPod[],
  { wanted, nowMs }: { readonly wanted: number; readonly nowMs: number },
): ElasticStep | undefined {
  const elastic = adapter.elastic?.workers?.(job);
  if (elastic === undefined) return undefined;
  const { fit, bounds, least, role: name } = elastic;
  const before = job.status.elastic;
  const request = { minReplicas: bounds.min, maxReplicas: bounds.max, wanted };
  if (fit === undefined) return asWanted({ before, request, nowMs });
  const context = { fit, before, request, nowMs };
  const members = replicas.filter(({ role }) => role.name === name);
  // The job cannot run without the addressed replica, so it is never given up.
  const free = members.filter((replica) => !isIndispensable(adapter, job, replica));
  const size = sizeBy(before, wanted);
  const { overdue, dueMs: requeueAfterMs } = waitingTooLong(free, fit.unschedulableMs, nowMs);
  const preempted = podsOf(free).filter(isPreempted);
  const lost = [...preempted, ...overdue];
  const granted = Math.max(Math.min(least, wanted), size - lost.length);
  if (granted < size) {
    const deletedFirst = new Set(lost.map(({ metadata }) => metadata?.name ?? ''));
    return { ...shrunk(context, granted, preempted.length > 0 ? 'Preempted' : 'Unschedulable'), deletedFirst };
  }
  // The job cannot continue with fewer workers, so overdue pods stay.
  // A pod that has a node and has not started may still be refused there.
  const isWaiting = members.some(({ state }) => state !== 'running' && state !== 'succeeded');
  if (before !== undefined && size < wanted) {
    const attemptMs = (momentOf(before.nextAttemptTime) ?? nowMs) - nowMs;
    if (attemptMs <= 0 && !isWaiting) return growing(context, before);
    return {
      ...kept(context, before, size),
      requeueAfterMs: earliest(requeueAfterMs, attemptMs > 0 ? attemptMs : undefined),
    };
  }
  if (before?.reason === 'Growing' && isWaiting) return { ...kept(context, before, size), requeueAfterMs };
  return { ...asWanted(context), requeueAfterMs };
}

/** Pods of one attempt become unschedulable within seconds. They are given up together, with one event. */
const TOGETHER_MS = 5000;

function waitingTooLong(free: readonly ReplicaPod[], unschedulableMs: number, nowMs: number) {
  const unplaced = podsOf(free).flatMap((pod) => {
    const sinceMs = unplacedSince(pod);
    return sinceMs === undefined ? [] : { pod, dueMs: sinceMs + unschedulableMs - nowMs };
  });
  const firstMs = Math.min(...unplaced.map(({ dueMs }) => dueMs));
  const together = unplaced.filter(({ dueMs }) => dueMs <= firstMs + TOGETHER_MS);
  const areDue = together.every(({ dueMs }) => dueMs <= 0);
  const later = unplaced.map(({ dueMs }) => dueMs).filter((dueMs) => dueMs > 0);
  return {
    overdue: areDue ? unplaced.filter(({ dueMs }) => dueMs <= 0).map(({ pod }) => pod) : [],
    dueMs: earliest(...later),
  };
}

function podsOf(replicas: readonly ReplicaPod[]): Pod[] {
  return replicas.flatMap(({ pod }) => pod ?? []);
}

function asWanted({ before, request, nowMs }: Omit<FitContext, 'fit'>): ElasticStep {
  const size = request.wanted;
  const isChanged = before?.reason !== 'AsWanted' || before.granted !== size;
  const since = isChanged ? timestamp(nowMs) : before.lastChangeTime;
  const status = { ...request, granted: size, reason: 'AsWanted' as const, ...(since && { lastChangeTime: since }) };
  const isRestored = before?.reason === 'Growing' && before.granted < size;
  const note = `The job runs with all ${size} workers again, instead of ${before?.granted}.`;
  const events = isRestored ? [event('Normal', 'RestoredToRequestedSize', note)] : [];
  return { status, size, events, requeueAfterMs: undefined };
}

/** Only the bounds and the size of the spec may have changed. */
function kept({ request }: FitContext, before: ElasticStatus, size: number): ElasticStep {
  const status = { ...before, ...request, granted: Math.min(before.granted, request.wanted) };
  return { status, size, events: [], requeueAfterMs: undefined };
}

function growing({ request, nowMs }: FitContext, before: ElasticStatus): ElasticStep {
  const { nextAttemptTime: _time, ...rest } = before;
  const message = `The job runs with ${before.granted} workers. All ${request.wanted} are requested again.`;
  const status = { ...rest, ...request, reason: 'Growing' as const, lastChangeTime: timestamp(nowMs), message };
  return { status, size: request.wanted, events: [], requeueAfterMs: undefined };
}

const BECAUSE = {
  Unschedulable: 'the others are unschedulable',
  Preempted: 'pods with a higher priority preempted the others',
} as const;

function shrunk(context: FitContext, granted: number, reason: keyof typeof BECAUSE): ElasticStep {
  const { fit, before, request, nowMs } = context;
  const isInVain = before?.reason === 'Growing' && granted <= before.granted;
  const attemptsInVain = isInVain ? (before.attemptsInVain ?? 0) + 1 : 0;
  const retryMs = Math.min(fit.retryMs * 2 ** attemptsInVain, Math.max(fit.retryMs, LONGEST_RETRY_MS));
  const nextAttemptTime = timestamp(nowMs + retryMs);
  const message =
    `The job runs with ${granted} of ${request.wanted} workers, because ${BECAUSE[reason]}. ` +
    `All are requested again at ${nextAttemptTime}.`;
  const status: ElasticStatus = {
    ...{ ...request, granted, reason, message, lastChangeTime: timestamp(nowMs), nextAttemptTime },
    ...(attemptsInVain > 0 && { attemptsInVain }),
  };
  // A failed attempt is shown in the status only: it may happen every hour for days.
  const events = isInVain ? [] : [event('Warning', 'ShrunkToCapacity', message)];
  return { status, size: granted, events, requeueAfterMs: retryMs };
}

function event(type: PlannedEvent['type'], reason: EventReason, note: string): PlannedEvent {
  return { type, reason, note, action: 'FitToCapacity' };
}

function unplacedSince({ metadata, status }: Pod): number | undefined {
  if (metadata?.deletionTimestamp !== undefined) return undefined;
  const unplaced = status?.conditions?.find(
    ({ type, reason }) => type === 'PodScheduled' && reason === 'Unschedulable',
  );
  if (unplaced?.status !== 'False') return undefined;
  return momentOf(unplaced.lastTransitionTime) ?? momentOf(metadata?.creationTimestamp);
}

/** Schedulers set the condition before they delete a pod. Kubelets set the reason for pods preempted by critical pods. */
function isPreempted(pod: Pod): boolean {
  return disruptionOf(pod)?.reason === 'PreemptionByScheduler' || pod.status?.reason === 'Preempting';
}
