/**
 * What a job waits for, or why it has failed: everything that is known put into an order, what decides first. Pure; what it is told
 * is gathered in `why.ts`.
 */
import { crashLoopMessage, crashLoopOf, runPolicyOf, statusOf, troubleOf } from '@muster/common-job-controller';
import {
  FRAMEWORKS,
  INVALID_SPEC,
  type Event,
  type JobCondition,
  type JobFailure,
  type RunPolicy,
} from '@muster/job-api';
import type { Kind } from '../kinds.ts';
import { age } from '../terminal/age.ts';
import { countOf, timeOf } from './job-events.ts';
import { isFinished, type JobView, type ReplicaView } from './job-view.ts';
import { badEndOf, errorLine, inWords, type BadEnd } from './pod-end.ts';
import { queueOf } from './queue-trouble.ts';
import { stoppedPod } from './stopped-pod.ts';

export interface Known {
  readonly view: JobView;
  /** Of the job and its pods, in the order of time. */
  readonly events: readonly Event[];
  /** What the gang scheduler says of its pod group. */
  readonly podGroup?: string;
  /** What Kueue says of it while it is suspended; none where it is not, or in no queue. */
  readonly queue?: readonly string[];
  readonly nowMs: number;
}

export interface Finding {
  readonly title: string;
  readonly details: readonly string[];
  /** Of which replica the last lines of the log belong to it. */
  readonly logOf?: FirstFailure;
}

export interface Explanation {
  /** What follows the job's name: `has failed: …`. */
  readonly headline: string;
  readonly findings: readonly Finding[];
  /** Commands to type: of this program, or, with `kubectl` in front, of kubectl. */
  readonly next: readonly string[];
}

export interface FirstFailure {
  readonly replica: ReplicaView;
  readonly end: BadEnd;
}

export function explain(known: Known): Explanation {
  const { view } = known;
  if (view.state === undefined) return unseen(known);
  const failed = holding(view, 'Failed');
  if (view.state === 'Failed' && failed?.reason === INVALID_SPEC) return invalid(failed);
  if (view.state === 'Failed') return failure(known, failed);
  if (view.state === 'Succeeded') {
    const when = age(view.completionTime, known.nowMs);
    return { headline: `has succeeded${when === '-' ? '' : `, ${when} ago`}`, findings: [], next: ['logs'] };
  }
  if (view.state === 'Suspended') return suspended(known);
  return waiting(known);
}

function holding({ conditions }: JobView, type: string): JobCondition | undefined {
  return conditions.find((condition) => condition.type === type && condition.status === 'True');
}

function unseen({ view: { kind, manifest } }: Known): Explanation {
  const { managedBy, runPolicy } = Object(manifest.spec) as { managedBy?: string; runPolicy?: Partial<RunPolicy> };
  const manager = managedBy ?? runPolicy?.managedBy;
  const details = [
    ...(manager === undefined ? [] : [`It says that ${manager} runs it (managedBy): no other operator touches it.`]),
    'Its operator does not run, does not look after this namespace, or has no rights here; its /readyz says which.',
  ];
  return {
    headline: 'waits: no operator has looked at it yet',
    findings: [{ title: 'There is neither a status nor a condition.', details }],
    next: ['events', `kubectl get deployments -A -l app.kubernetes.io/name=muster-${operatorOf(kind)}`],
  };
}

/** The framework whose operator runs the kind, as charts name it. */
function operatorOf({ definition }: Kind): string {
  const [framework] = Object.entries(FRAMEWORKS).find(([, kinds]) =>
    kinds.some(({ resource }) => resource.kind === definition.resource.kind),
  ) ?? [''];
  return framework;
}

function invalid({ message = '' }: JobCondition): Explanation {
  return {
    headline: 'cannot be run as it is written',
    findings: [{ title: message, details: ['Correct it, and the job starts: no pod has been made.'] }],
    next: ['kubectl edit'],
  };
}

function failure(known: Known, failed: JobCondition | undefined): Explanation {
  const { view, nowMs } = known;
  const { reason, message = '' } = failed ?? {};
  const first = firstFailure(view);
  const error = errorLine(view.firstFailure?.message) ?? first?.end.error;
  const cause = error === undefined || message.includes(error) ? message : `${message} ${error}`.trim();
  const recorded = onRecord(view, first, nowMs, cause);
  const pods = view.replicas.map(({ pod }) => pod);
  const stopped = stoppedPod(view.firstFailure, known.events, pods);
  const gone = first === undefined ? [podsAreGone(view)] : [];
  const seen = first === undefined ? [] : [firstToFail(first, nowMs, cause)];
  const failedFindings = [...(recorded === undefined ? seen : [recorded]), ...gone];
  const when = age(failed?.lastTransitionTime, nowMs);
  return {
    headline: `has failed${when === '-' ? '' : ` ${when} ago`}${reason === undefined ? '' : ` (${reason})`}: ${stopped === undefined ? cause : `${stopped.note} ${cause}`}`,
    findings: [
      ...(stopped === undefined ? [] : [stopped.finding]),
      ...failedFindings,
      ...warnings(known, cause),
      ...specWarnings(known),
    ],
    next: nextAfterFailure(view, first, stopped !== undefined),
  };
}

/** The log of a peer does not say why a pod was deleted. */
function nextAfterFailure({ firstFailure: recorded }: JobView, first: FirstFailure | undefined, isStopped: boolean) {
  if (first === undefined) return ['events', 'get'];
  const logs = `logs ${logFlags(first)}`;
  return isStopped || recorded?.class === 'Deleted' ? ['events', logs] : [logs, 'events'];
}

/**
 * `explanation` with the error that the log of the failed container ends with, unless it is there already: of a failed job in the first
 * line. A termination message has 2 KiB, which a launcher's report may fill.
 */
export function withLog(explanation: Explanation, log: readonly string[]): Explanation {
  const { headline, findings } = explanation;
  const error = errorLine(log.join('\n'));
  const shown = [headline, ...findings.flatMap(({ title, details }) => [title, ...details])].join('\n');
  if (error === undefined || shown.includes(error)) return explanation;
  if (headline.startsWith('has failed')) return { ...explanation, headline: `${headline} ${error}` };
  const withError = (finding: Finding): Finding =>
    finding.logOf === undefined ? finding : { ...finding, details: [...finding.details, error] };
  return { ...explanation, findings: findings.map(withError) };
}

const NOT_THE_PROGRAM: Partial<Record<JobFailure['class'], string>> = {
  Evicted: 'The cluster has ended the pod.',
  Preempted: 'The pod had to make room for one of a higher priority.',
  NodeLost: 'The pod was lost with its node.',
  Refused: 'The node, or the scheduler, did not take the pod.',
  Deleted: 'Other pods of the job ended because of that. The audit log of the API server records who deleted it.',
  Cascade: 'It ended because another process was gone; which, is not known.',
};

/** What the operator has put on record; its log where the pod is still there. */
function onRecord(
  { firstFailure: failure }: JobView,
  first: FirstFailure | undefined,
  nowMs: number,
  shown = '',
): Finding | undefined {
  if (failure === undefined) return undefined;
  const { role, index, pod, node, container, time } = failure;
  const where = `pod ${pod}${node === undefined ? '' : ` on ${node}`}${container === undefined ? '' : `, container ${container}`}`;
  const whose = NOT_THE_PROGRAM[failure.class];
  const isThere = first?.replica.pod.metadata?.name === pod;
  return {
    title: `First to fail: ${role.toLowerCase()}-${index} (${where}), ${age(time, nowMs)} ago`,
    details: [inWords(failure, shown), ...(whose === undefined ? [] : [whose])],
    ...(isThere && { logOf: first }),
  };
}

function podsAreGone({ replicas }: JobView): Finding {
  if (replicas.length > 0) return { title: 'None of its pods that are there has failed.', details: [] };
  return {
    title: 'Its pods are gone, and their logs with them.',
    details: ['To keep them next time, set spec.runPolicy.cleanPodPolicy: None.'],
  };
}

/** The flags of `logs` that show the log of the container that failed. */
function logFlags({ replica, end }: FirstFailure): string {
  const container = end.container === undefined || end.container === replica.container ? '' : ` -c ${end.container}`;
  return `--replica ${replica.name}${container}${end.isPrevious ? ' --previous' : ''}`;
}

/**
 * Of the pods that are there the one that its operator has on record, or else that whose container ended badly before all others:
 * the rest often fails because of it.
 */
function firstFailure({ replicas, firstFailure: recorded }: JobView): FirstFailure | undefined {
  const failures = replicas.flatMap((replica) => {
    const end = badEndOf(replica.pod);
    return end === undefined ? [] : [{ replica, end }];
  });
  const [first] = failures.sort((a, b) => (a.end.at ?? '~').localeCompare(b.end.at ?? '~'));
  return failures.find(({ replica }) => replica.pod.metadata?.name === recorded?.pod) ?? first;
}

function firstToFail(first: FirstFailure, nowMs: number, shown = ''): Finding {
  const { replica, end } = first;
  const { metadata, spec } = replica.pod;
  const container = end.container === undefined ? '' : `, container ${end.container}`;
  const where = `pod ${metadata?.name}${spec?.nodeName === undefined ? '' : ` on ${spec.nodeName}`}${container}`;
  const when = end.at === undefined ? '' : `, ${age(end.at, nowMs)} ago`;
  const isOnly = end.isPrevious ? ['It has been started again since.'] : [];
  return {
    title: `First to fail: ${replica.name} (${where})${when}`,
    details: [whatOf(end, shown), ...isOnly],
    logOf: first,
  };
}

/** Without the error where it is shown above. */
function whatOf({ what, error }: BadEnd, shown: string): string {
  return error !== undefined && shown.includes(error) ? what.replace(`; it says: ${error}`, '') : what;
}

function suspended({ view: { manifest }, queue: details = [] }: Known): Explanation {
  const queue = queueOf(manifest);
  if (queue === undefined) {
    return { headline: 'is suspended: it has no pods until it is resumed', findings: [], next: ['resume'] };
  }
  const title = `It waits in the queue ${queue} of Kueue, which resumes it when there is room.`;
  return { headline: 'is suspended', findings: [{ title, details }], next: ['kubectl get workloads'] };
}

function waiting(known: Known): Explanation {
  const { view, podGroup, nowMs } = known;
  const refused = holding(view, 'ReplicaFailure');
  const refusals = refused === undefined ? refusedPods(known) : [refusal(refused)];
  const groups = podGroup === undefined ? [] : [{ title: 'Its pod group waits.', details: [podGroup] }];
  const restarted = firstFailure(view);
  const crash = crashLoop(known);
  const findings = [
    ...refusals,
    ...groups,
    ...smallerThanWanted(view),
    ...unstarted(view, nowMs),
    ...waitingRoles(known),
    ...waitingInPods(view),
    ...leaving(view, nowMs),
    ...hanging(view),
    ...(crash?.findings ?? []),
    ...lastFailures(view, restarted, nowMs, crash?.message),
  ];
  const told = [...(findings.length > 0 ? findings : warnings(known)), ...specWarnings(known)];
  const standing = `${view.state}${view.ready === undefined ? '' : `, ${view.ready} ready`}`;
  const isFine = findings.length === 0 && isAllReady(view);
  const isWaiting = findings.length > 0 && view.state !== 'Running';
  const how = isFine ? `waits for nothing: ${standing}` : isWaiting ? `waits: ${standing}` : `is ${standing}`;
  const headline = crash === undefined ? how : `${how}. ${crash.message}`;
  return { headline, findings: told, next: nextOf(findings, restarted) };
}

/** An elastic job for all of whose workers the cluster has no room. */
function smallerThanWanted({ kind, manifest }: JobView): Finding[] {
  const { granted, wanted, message } =
    statusOf(kind.adapter({ clusterDomain: 'cluster.local' }), manifest).elastic ?? {};
  if (granted === undefined || wanted === undefined || granted >= wanted || message === undefined) return [];
  return [{ title: `It has ${granted} of the ${wanted} workers that it wants:`, details: [message] }];
}

/** A program that tells how far it is, and has come no further. */
function hanging({ kind, manifest }: JobView): Finding[] {
  const { progress, conditions } = statusOf(kind.adapter({ clusterDomain: 'cluster.local' }), manifest);
  const unknown = conditions?.find(({ type }) => type === 'ProgressKnown')?.message;
  if (unknown !== undefined) return [{ title: 'Whether it makes progress is unknown.', details: [unknown] }];
  const { message } = progress ?? {};
  return message === undefined ? [] : [{ title: 'It makes no progress.', details: [message] }];
}

/** The first container that its kubelet starts again and again, though its pod counts as running. */
function crashLoop({ view: { kind, manifest, replicas }, nowMs }: Known) {
  const [loop] = replicas.flatMap(({ pod }) => crashLoopOf(pod, { nowMs }) ?? []);
  if (loop === undefined) return undefined;
  const runPolicy = runPolicyOf(kind.adapter({ clusterDomain: 'cluster.local' }), manifest);
  const isOfJob = loop.pod.metadata?.ownerReferences?.some((owner) => owner.kind === 'Job') === true;
  const message = crashLoopMessage(loop, runPolicy, isOfJob);
  const hasNoLimit = runPolicy.backoffLimit === undefined && !isOfJob;
  const advice = 'Set spec.runPolicy.backoffLimit to end the job after so many restarts.';
  // Kinds of Ray have no such limit.
  const details = operatorOf(kind) === 'ray' ? [] : [advice];
  return { message, findings: hasNoLimit ? [{ title: 'It is restarted without end.', details }] : [] };
}

/** Of a job that goes on: what failed in the pods that are there, or why it is being restarted. */
function lastFailures(view: JobView, restarted: FirstFailure | undefined, nowMs: number, shown = ''): Finding[] {
  const recorded = view.state === 'Restarting' ? onRecord(view, restarted, nowMs, shown) : undefined;
  const finding = recorded ?? (restarted && firstToFail(restarted, nowMs, shown));
  return finding === undefined ? [] : [{ ...finding, title: finding.title.replace('First to fail', 'Has failed') }];
}

function nextOf(findings: readonly Finding[], restarted: FirstFailure | undefined): string[] {
  const said = findings.flatMap(({ title, details }) => [title, ...details]).join('\n');
  if (said.includes('exceeded quota')) return ['kubectl describe resourcequota', 'events'];
  if (restarted !== undefined) return [`logs ${logFlags(restarted)}`, 'events'];
  if (said.includes('nodes are available')) return ['kubectl describe nodes', 'events'];
  return findings.length > 0 ? ['events', 'get'] : ['logs -f', 'get'];
}

function isAllReady({ roles }: JobView): boolean {
  return roles.every(({ wanted, ready, succeeded }) => wanted === undefined || ready + succeeded >= wanted);
}

function refusal({ reason = '', message = '' }: JobCondition): Finding {
  const mend = message.includes('exceeded quota') ? ['A quota is used up: free some of it, or have it raised.'] : [];
  return {
    title: `Something that it needs cannot be made (${reason}):`,
    details: [message, ...mend, 'It is tried again.'],
  };
}

/** Operators that have no condition for it say it in events. */
function refusedPods({ events, view }: Known): Finding[] {
  if (isFinished(view)) return [];
  const last = events.findLast(({ reason = '', note = '' }) => reason.startsWith('FailedCreate') && note !== '');
  if (last === undefined || isAllReady(view)) return [];
  return [refusal({ type: 'ReplicaFailure', status: 'True', reason: last.reason ?? '', message: last.note ?? '' })];
}

function unstarted({ replicas }: JobView, nowMs: number): Finding[] {
  const troubles = replicas.flatMap(({ name, pod }) => {
    const trouble = crashLoopOf(pod, { nowMs }) === undefined ? troubleOf(pod) : undefined;
    return trouble === undefined ? [] : [{ name, ...trouble }];
  });
  return [...Map.groupBy(troubles, ({ reason, message }) => `${reason}: ${message}`)].map(([what, held]) => {
    const names = held.map(({ name }) => name);
    const verb = names.length === 1 ? 'does not start' : 'do not start';
    return { title: `${shortened(names)} ${verb}:`, details: [what] };
  });
}

/** Roles that wait for others, in the words of the operator's events, as long as they have no pods. */
function waitingRoles({ view: { roles, replicas }, events }: Known): Finding[] {
  return roles.flatMap(({ name, wanted = 0, succeeded }) => {
    const hasPods = replicas.some(({ role }) => role === name);
    if (hasPods || succeeded >= wanted) return [];
    const note = events.findLast(
      ({ reason, note: said = '' }) => reason === 'WaitingForRole' && said.startsWith(`No pods of ${name} `),
    )?.note;
    return note === undefined ? [] : [{ title: `${name} waits:`, details: [note] }];
  });
}

/** Pods whose program has not begun, because an init container of Muster waits for those of another role. */
function waitingInPods({ roles, replicas }: JobView): Finding[] {
  const ofRoles = new Set(roles.map(({ name }) => `wait-for-${name.toLowerCase()}`));
  const waiting = replicas.flatMap(({ name, pod }) => {
    const running = pod.status?.initContainerStatuses?.find(({ state }) => state?.running !== undefined);
    return running !== undefined && ofRoles.has(running.name) ? [{ name, container: running.name }] : [];
  });
  return [...Map.groupBy(waiting, ({ container }) => container)].map(([container, held]) => {
    const title = `${shortened(held.map(({ name }) => name))} ${held.length === 1 ? 'waits' : 'wait'} for others:`;
    return {
      title,
      details: [`The init container ${container} ends when their pods listen; its log says which does not.`],
    };
  });
}

const MOST_NAMES = 5;

function shortened(names: readonly string[]): string {
  const rest = names.length - MOST_NAMES;
  return `${names.slice(0, MOST_NAMES).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** Pods that should be gone by now hold the names that their successors need. */
function leaving({ replicas }: JobView, nowMs: number): Finding[] {
  const stuck = replicas.filter(({ pod }) => Date.parse(pod.metadata?.deletionTimestamp ?? '') < nowMs);
  if (stuck.length === 0) return [];
  const details = ['Their node may be lost, or a finalizer holds them; what follows them waits until they are gone.'];
  return [{ title: `${shortened(stuck.map(({ name }) => name))} should be gone, and are not:`, details }];
}

const OF_SPEC: ReadonlySet<string> = new Set(['APIServerWarning', 'SpecWarning', 'AnnotationIgnored']);

/** What is written in the spec, and is not read or not done. It may be the cause of all else. */
function specWarnings({ events }: Known): Finding[] {
  const notes = events.flatMap(({ reason = '', note }) => (OF_SPEC.has(reason) && note !== undefined ? [note] : []));
  return notes.length === 0 ? [] : [{ title: 'Warnings about its spec:', details: [...new Set(notes)] }];
}

const MOST_WARNINGS = 5;

/** The last warnings, each reason once, without those whose text is shown above. */
function warnings({ events, nowMs }: Known, shown = ''): Finding[] {
  const byReason = new Map<string, Event>();
  for (const event of events) {
    const isShown = event.note !== undefined && event.note !== '' && shown.includes(event.note);
    if (event.type === 'Warning' && !isShown && !OF_SPEC.has(event.reason ?? ''))
      byReason.set(event.reason ?? '', event);
  }
  const last = [...byReason.values()].sort((a, b) => timeOf(a).localeCompare(timeOf(b))).slice(-MOST_WARNINGS);
  if (last.length === 0) return [];
  const details = last.map((event) => {
    const count = countOf(event);
    const times = count > 1 ? ` (${count} times)` : '';
    return `${age(timeOf(event), nowMs)} ago${times}, ${event.regarding?.kind} ${event.regarding?.name}: ${event.reason}: ${event.note ?? ''}`;
  });
  return [{ title: 'Warnings:', details }];
}
