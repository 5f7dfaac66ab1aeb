/**
 * The pod whose stop caused a failure of other pods, from events. The pod is gone, and the operator did not observe its end; its
 * kubelet, the scheduler or the node controller emitted an event.
 */
import type { Event, JobFailure, Pod } from '@muster/job-api';
import { timeOf } from './job-events.ts';

/** Longest time within one incident, as in the operator. */
const INCIDENT_MS = 60_000;

/** By the reason of the event. For Killing, see `isOfDeletedPod`. */
const STOPPED_BY: ReadonlyMap<string, string> = new Map([
  ['Killing', 'was deleted by a user or another controller'],
  ['TaintManagerEviction', 'was evicted from a tainted or lost node'],
  ['Evicted', 'was evicted by its kubelet'],
  ['Preempted', 'was preempted by the scheduler'],
  ['Preempting', 'was preempted by its kubelet'],
]);

interface StoppedPod {
  readonly note: string;
  readonly finding: { readonly title: string; readonly details: readonly string[] };
}

/**
 * Undefined unless `failure` is a cascade and the operator deleted no pod in the minute before.
 *
 * @param pods existing pods of the job
 */
export function stoppedPod(
  failure: JobFailure | undefined,
  events: readonly Event[],
  pods: readonly Pod[],
): StoppedPod | undefined {
  if (failure?.class !== 'Cascade') return undefined;
  const failedMs = Date.parse(failure.time);
  const before = events.filter((event) => {
    const earlierMs = failedMs - Date.parse(timeOf(event));
    // Kubelets report the end of a container in whole seconds.
    return earlierMs > -1000 && earlierMs <= INCIDENT_MS;
  });
  if (before.some(({ reason }) => reason === 'SuccessfulDeletePod')) return undefined;
  const stops = before.filter((event) => {
    const { reason = '', regarding } = event;
    if (!STOPPED_BY.has(reason) || regarding?.kind !== 'Pod' || regarding.name === failure.pod) return false;
    return reason !== 'Killing' || isOfDeletedPod(event, pods);
  });
  const [first] = stops;
  if (first === undefined) return undefined;
  // An eviction also causes a Killing event.
  const ofPod = stops.filter(({ regarding }) => regarding?.name === first.regarding?.name);
  const cause = ofPod.find(({ reason }) => reason !== 'Killing') ?? first;
  const note = `Pod ${first.regarding?.name} ${STOPPED_BY.get(cause.reason ?? '')} shortly before.`;
  const details = [
    `${cause.reason}: ${cause.note ?? ''}`,
    ...(cause.reason === 'Killing' ? ['The audit log of the API server records who deleted it.'] : []),
  ];
  return { note, finding: { title: 'The event about that pod:', details } };
}

/**
 * Kubelets also emit Killing for a container whose liveness or startup probe fails, with another note, and for sidecars of a pod
 * whose containers have ended and which is not deleted.
 */
function isOfDeletedPod({ note = '', regarding }: Event, pods: readonly Pod[]): boolean {
  if (!note.startsWith('Stopping container')) return false;
  const isSame = ({ uid, name }: NonNullable<Pod['metadata']>) =>
    regarding?.uid === undefined ? name === regarding?.name : uid === regarding.uid;
  return !pods.some(({ metadata = {} }) => isSame(metadata) && metadata.deletionTimestamp === undefined);
}
