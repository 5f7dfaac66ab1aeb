/** Reports pods that do not start, as in kubeflow/training-operator (pkg/core/job.go, RecordAbnormalPods), but once per reason. */
import { containersOf, type EventReason, type Pod } from '@muster/job-api';
import { isCrashLoop, lastEndOf } from './crash-loop.ts';
import type { PlannedEvent } from '../model/event.ts';

export interface PodProblem {
  readonly pod: Pod;
  readonly reason: string;
  readonly message: string;
  /** The waiting container. Undefined for a pod without a node. */
  readonly container?: string;
  /** `message` with the names of the pod and the container. */
  readonly note: string;
}

/** @param isGang whether a gang scheduler reports why the gang is not placed */
export function waitingPods(pods: readonly Pod[], emitted: ReadonlySet<string>, isGang: boolean): PlannedEvent[] {
  const problems = pods
    .flatMap((pod) => startProblemOf(pod) ?? [])
    .filter(({ reason }) => !isGang || reason !== UNPLACED);
  return [...Map.groupBy(problems, ({ reason }) => reason)].flatMap(([reason, [first, ...others]]) => {
    const keyOf = ({ pod }: PodProblem) => `${reason} ${pod.metadata?.uid}`;
    // Pods that get the same problem later are not reported again.
    if (first === undefined || [first, ...others].some((each) => emitted.has(keyOf(each)))) return [];
    const more =
      others.length === 0 ? '' : ` (and ${others.length} more ${others.length === 1 ? 'pod' : 'pods'} of the job)`;
    const dedupKey = keyOf(first);
    return [{ type: 'Warning' as const, reason, note: first.note + more, action: 'StartPod', dedupKey }];
  });
}

const UNPLACED = 'Unschedulable' satisfies EventReason;

/** Undefined for a pod that has ended, is being deleted, runs, or is about to start. */
export function startProblemOf(pod: Pod): PodProblem | undefined {
  const { metadata, status } = pod;
  if (metadata?.deletionTimestamp !== undefined || status?.phase === 'Succeeded' || status?.phase === 'Failed') return;
  const name = `Pod ${metadata?.name}`;
  const unplaced = status?.conditions?.find(({ type, status: holds }) => type === 'PodScheduled' && holds === 'False');
  if (unplaced?.reason === UNPLACED) {
    const { message = '' } = unplaced;
    return { pod, reason: UNPLACED, message, note: `${name} cannot be placed on a node: ${message}` };
  }
  for (const container of containersOf(pod)) {
    const { reason, message } = container.state?.waiting ?? {};
    // A container that is about to start waits without a message.
    if (reason && message) {
      const lastEnd = isCrashLoop(reason) ? lastEndOf(pod, container) : undefined;
      const what = lastEnd === undefined ? message : `keeps failing: last ${lastEnd}; ${message}`;
      const note = `${name}, container ${container.name}${lastEnd === undefined ? ':' : ''} ${what}`;
      return { pod, reason, message, container: container.name, note };
    }
  }
  return undefined;
}
