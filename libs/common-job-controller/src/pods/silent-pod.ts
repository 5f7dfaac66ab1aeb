/** Pods on which neither a scheduler nor a kubelet has reported: their status alone does not show that something is wrong. */
import type { Pod } from '@muster/job-api';
import type { StateAges } from '../model/state-ages.ts';

/** Longer than a scheduler needs for a burst of thousands of pods. */
const REPORTED_WITHIN_MS = 60_000;

/** The states of `observe`, for `silenceLeftMs`. */
export function silentStates(pod: Pod): string[] {
  return awaitedBy(pod) === undefined ? [] : [stateOf(pod)];
}

/** In how many milliseconds the silence is a problem; not positive if it is one. Undefined if the pod has been reported on. */
export function silenceLeftMs(pod: Pod, ages: StateAges): number | undefined {
  const ageMs = awaitedBy(pod) === undefined ? undefined : ages.get(stateOf(pod));
  return ageMs === undefined ? undefined : REPORTED_WITHIN_MS - ageMs;
}

/** Of a pod for which `silenceLeftMs` is not positive. */
export function silenceMessage(pod: Pod): string {
  const { nodeName, schedulerName = 'default-scheduler' } = pod.spec ?? {};
  const name = `Pod ${pod.metadata?.name}`;
  return awaitedBy(pod) === 'scheduler'
    ? `${name} has no node, and no scheduler has reported why: check that ${schedulerName} (its schedulerName) runs and handles the pod`
    : `${name} was placed on node ${nodeName}, whose kubelet has not reported on it: check that the node exists and is ready`;
}

/** A scheduler sets the node or a condition. A kubelet that accepts or rejects a pod sets its start time or its phase. */
export function awaitedBy({ metadata, spec, status }: Pod): 'scheduler' | 'kubelet' | undefined {
  if (metadata?.deletionTimestamp !== undefined || (status?.phase ?? 'Pending') !== 'Pending') return undefined;
  if (spec?.nodeName !== undefined) return status?.startTime === undefined ? 'kubelet' : undefined;
  return status?.conditions?.some(({ type }) => type === 'PodScheduled') === true ? undefined : 'scheduler';
}

/** Silence of the scheduler and of the kubelet are different states. */
function stateOf(pod: Pod): string {
  return `no report of the ${awaitedBy(pod)} on ${pod.metadata?.uid}`;
}
