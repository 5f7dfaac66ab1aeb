/**
 * Pods that are made and do not start: no node takes them, an image cannot be pulled, a Secret that they mount is missing. It
 * is told on the job, where its user looks, with the reason of the scheduler or the kubelet, as kubeflow/training-operator
 * does (pkg/core/job.go, RecordAbnormalPods); but once for each reason and not in every pass.
 */
import type { EventReason, Pod } from '@muster/job-api';
import { isCrashLoop, lastEndOf } from './crash-loop.ts';
import type { PlannedEvent } from '../model/event.ts';

/** Why a pod does not start. */
export interface PodTrouble {
  readonly pod: Pod;
  /** `Unschedulable` of the scheduler, or the kubelet's: `ImagePullBackOff`. */
  readonly reason: string;
  /** In the scheduler's or the kubelet's words. */
  readonly message: string;
  /** The container that waits; undefined of a pod that has no node. */
  readonly container?: string;
  /** The same with the names of the pod and the container. */
  readonly note: string;
}

/**
 * @param pods of the job's replicas, in their order
 * @param isGang a gang scheduler tells of the whole gang why it is not placed
 */
export function waitingPods(pods: readonly Pod[], told: ReadonlySet<string>, isGang: boolean): PlannedEvent[] {
  const troubles = pods.flatMap((pod) => troubleOf(pod) ?? []).filter(({ reason }) => !isGang || reason !== UNPLACED);
  return [...Map.groupBy(troubles, ({ reason }) => reason)].flatMap(([reason, [first, ...others]]) => {
    const dedupKey = `${reason} ${first?.pod.metadata?.uid}`;
    if (first === undefined || told.has(dedupKey)) return [];
    const more = others.length === 0 ? '' : ` (and ${others.length} more of its pods)`;
    return [{ type: 'Warning' as const, reason, note: first.note + more, action: 'StartPod', dedupKey }];
  });
}

const UNPLACED = 'Unschedulable' satisfies EventReason;

/** Undefined of a pod that has ended, is being deleted, runs, or is about to start. */
export function troubleOf(pod: Pod): PodTrouble | undefined {
  const { metadata, status } = pod;
  if (metadata?.deletionTimestamp !== undefined || status?.phase === 'Succeeded' || status?.phase === 'Failed') return;
  const name = `Pod ${metadata?.name}`;
  const unplaced = status?.conditions?.find(({ type, status: holds }) => type === 'PodScheduled' && holds === 'False');
  if (unplaced?.reason === UNPLACED) {
    const { message = '' } = unplaced;
    return { pod, reason: UNPLACED, message, note: `${name} cannot be placed on a node: ${message}` };
  }
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  for (const { name: container, state } of containers) {
    const { reason, message } = state?.waiting ?? {};
    // One that is about to start waits without a message.
    if (reason && message) {
      const lastEnd = isCrashLoop(reason) ? lastEndOf(pod, container) : undefined;
      const what = lastEnd === undefined ? message : `keeps failing: last ${lastEnd}; ${message}`;
      const note = `${name}, container ${container}${lastEnd === undefined ? ':' : ''} ${what}`;
      return { pod, reason, message, container, note };
    }
  }
  return undefined;
}
