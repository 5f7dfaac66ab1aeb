/** Pods that are not ready for a reason that their status does not contain. Pure. */
import { awaitedBy, crashLoopOf, startProblemOf } from '@muster/common-job-controller';
import type { Event, Pod } from '@muster/job-api';
import { adviceOnProblem, fieldOf } from './advice.ts';
import { age } from '../terminal/age.ts';
import { corrected } from './correction.ts';
import { timeOf } from './job-events.ts';
import type { JobView, ReplicaView } from './job-view.ts';

export interface PodFinding {
  readonly title: string;
  readonly details: readonly string[];
  /** The next steps: see `advice.ts`. */
  readonly advice: readonly string[];
}

interface Known {
  readonly view: JobView;
  readonly events: readonly Event[];
  readonly nowMs: number;
}

/** Time for the scheduler and the kubelet to report. */
const REPORT_TIMEOUT_MS = 10_000;

/** Names the first replica of each finding, and counts the others. */
export function podFindings(known: Known): PodFinding[] {
  const findings = known.view.replicas.flatMap((replica) => ofPod(known, replica) ?? []);
  return [...Map.groupBy(findings, ({ what }) => what).values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
    return [{ title: `${first.replica}${more} ${first.what}`, details: first.details, advice: first.advice }];
  });
}

interface OfPod {
  readonly replica: string;
  readonly what: string;
  readonly details: readonly string[];
  readonly advice: readonly string[];
}

function ofPod(known: Known, replica: ReplicaView): OfPod | undefined {
  const { pod } = replica;
  const isLeft = pod.metadata?.deletionTimestamp !== undefined || isReadyOrEnded(pod);
  if (isLeft || startProblemOf(pod) !== undefined || crashLoopOf(pod, known) !== undefined) return undefined;
  return (
    withoutScheduler(known, replica) ??
    withoutVolume(known, replica) ??
    pullingImage(known, replica) ??
    inInitContainer(known, replica) ??
    notReady(known, replica) ??
    withoutKubelet(known, replica)
  );
}

function isReadyOrEnded({ status }: Pod): boolean {
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return true;
  return status?.conditions?.some(({ type, status: holds }) => type === 'Ready' && holds === 'True') === true;
}

function withoutScheduler({ view, nowMs }: Known, { name, pod }: ReplicaView): OfPod | undefined {
  const { schedulerName = 'default-scheduler' } = pod.spec ?? {};
  if (awaitedBy(pod) !== 'scheduler' || !isOld(pod, nowMs)) return undefined;
  return {
    replica: name,
    what: `has no node, and no scheduler has reported why: its schedulerName is ${schedulerName}.`,
    details: ['The scheduler of that name does not run, or does not handle this pod.'],
    advice: [
      ...corrected(view, `Correct schedulerName in the pod template (${schedulerName}), or start that scheduler`),
      'kubectl get leases -A',
    ],
  };
}

function withoutKubelet({ nowMs }: Known, { name, pod }: ReplicaView): OfPod | undefined {
  const { nodeName } = pod.spec ?? {};
  if (awaitedBy(pod) !== 'kubelet' || !isOld(pod, nowMs)) return undefined;
  return {
    replica: name,
    what: `was placed on node ${nodeName}, whose kubelet has not reported on it.`,
    details: ['The node does not exist, is not ready, or its kubelet is overloaded.'],
    advice: [`kubectl get node ${nodeName}`],
  };
}

function isOld({ metadata }: Pod, nowMs: number): boolean {
  return nowMs - Date.parse(metadata?.creationTimestamp ?? '') >= REPORT_TIMEOUT_MS;
}

/** After the event with the message of the registry, the kubelet emits one with the reason alone. */
const REPEATS_REASON = /^Error: (ErrImagePull|ImagePullBackOff)$/;

/** The kubelet reports problems with a pod's sandbox and volumes only in events. */
function withoutVolume({ view, events }: Known, { name, role, pod }: ReplicaView): OfPod | undefined {
  if (pod.status?.phase !== 'Pending' || pod.spec?.nodeName === undefined) return undefined;
  const started = pod.status.initContainerStatuses?.some(({ state }) => state?.running ?? state?.terminated);
  if (started === true) return undefined;
  const last = lastEvent(
    events,
    pod,
    ({ type, reason = '', note = '' }) => type === 'Warning' && /^Failed/.test(reason) && !REPEATS_REASON.test(note),
  );
  if (last === undefined) return undefined;
  const { note: message = '' } = last;
  const reason = message.startsWith('Failed to pull image') ? 'ErrImagePull' : (last.reason ?? '');
  return {
    replica: name,
    what: 'does not start:',
    details: [`${reason}: ${message}`],
    advice: adviceOnProblem(view, { role, reason, message }),
  };
}

/** A large image takes minutes, in which the status of the pod shows only ContainerCreating. */
function pullingImage({ events, nowMs }: Known, { name, pod }: ReplicaView): OfPod | undefined {
  if (pod.status?.phase !== 'Pending') return undefined;
  const last = lastEvent(events, pod, ({ reason = '' }) => /^(Pulling|Pulled|Failed|BackOff)$/.test(reason));
  if (last?.reason !== 'Pulling') return undefined;
  const image = /"([^"]+)"/.exec(last.note ?? '')?.[1] ?? '';
  return {
    replica: name,
    what: 'waits for its image:',
    details: [`The node has been pulling ${image} for ${age(timeOf(last), nowMs)}.`],
    advice: [],
  };
}

function inInitContainer({ nowMs }: Known, { name, pod }: ReplicaView): OfPod | undefined {
  const running = pod.status?.initContainerStatuses?.find(
    ({ name: container, state }) => state?.running !== undefined && !isSidecar(pod, container),
  );
  // Init containers of Muster have their own finding.
  if (running === undefined || running.name.startsWith('wait-for-')) return undefined;
  const since = age(running.state?.running?.startedAt, nowMs);
  return {
    replica: name,
    what: `runs its init container ${running.name}; its program starts after that.`,
    details: [`It has been running for ${since}.`],
    advice: [`logs --replica ${name} -c ${running.name}`],
  };
}

function isSidecar({ spec }: Pod, container: string): boolean {
  return (
    spec?.initContainers?.some(({ name, restartPolicy }) => name === container && restartPolicy === 'Always') === true
  );
}

function notReady({ view, events }: Known, { name, role, pod, container }: ReplicaView): OfPod | undefined {
  const main = pod.status?.containerStatuses?.find((each) => each.name === container);
  if (main?.state?.running === undefined || main.ready) return undefined;
  const probe = lastEvent(events, pod, ({ note = '' }) => /^(Readiness|Startup) probe/.test(note));
  if (probe === undefined) return undefined;
  const field = probe.note?.startsWith('Startup') === true ? 'startupProbe' : 'readinessProbe';
  return {
    replica: name,
    what: `is not ready: its ${field} fails.`,
    details: [probe.note?.trim() ?? ''],
    advice: [
      `logs --replica ${name}`,
      ...corrected(view, `Correct ${fieldOf(view, { role, container }, field)} if the program is healthy`),
    ],
  };
}

function lastEvent(events: readonly Event[], pod: Pod, isWanted: (event: Event) => boolean): Event | undefined {
  const ofPod = events.filter((event) => event.regarding?.uid === pod.metadata?.uid && isWanted(event));
  return ofPod.toSorted((a, b) => timeOf(a).localeCompare(timeOf(b))).at(-1);
}
