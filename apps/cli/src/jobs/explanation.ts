/**
 * What a job waits for, or why it has failed: everything that is known put into an order, what decides first. Pure; what it is told
 * is gathered in `why.ts`.
 */
import { crashLoopOf, statusOf, troubleOf } from '@muster/common-job-controller';
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
import { adviceOnEnd, adviceOnTrouble, fieldOf } from './advice.ts';
import { countOf, timeOf } from './job-events.ts';
import { isFinished, type JobView, type ReplicaView } from './job-view.ts';
import { badEndOf, errorLine, inWords, type BadEnd } from './pod-end.ts';
import { podFindings } from './pod-findings.ts';
import { waitingPeers } from './waiting-peers.ts';
import { queueOf } from './queue-trouble.ts';
import { crashLoop, endlessRestarts, repeatedFailure } from './repeated-failure.ts';
import { stoppedPod } from './stopped-pod.ts';

export interface Known {
  readonly view: JobView;
  /** Of the job and its pods, in the order of time. */
  readonly events: readonly Event[];
  /** What the gang scheduler says of its pod group. */
  readonly podGroup?: string;
  /** What Kueue says of it while it is suspended; none where it is not, or in no queue. */
  readonly queue?: readonly string[];
  /** Whether an operator leads for its kind, in a sentence. Undefined where that is not needed or cannot be read. */
  readonly operator?: { readonly leads: boolean; readonly note: string } | undefined;
  /** What is known of a job that runs and does not report its progress. */
  readonly activity?: readonly string[];
  readonly nowMs: number;
}

export interface Finding {
  readonly title: string;
  readonly details: readonly string[];
  /** What to do, before all else: a step in words, which begins with a capital letter, or a command. */
  readonly advice?: readonly string[];
  /** Of which replica the last lines of the log belong to it. */
  readonly logOf?: FirstFailure;
}

export interface Explanation {
  /** What follows the job's name: `has failed: …`. */
  readonly headline: string;
  readonly findings: readonly Finding[];
  /**
   * Commands to type: of this program, or, with `kubectl` in front, of kubectl. Those that begin with a capital letter are steps in words.
   */
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

function unseen({ view: { kind, manifest }, operator }: Known): Explanation {
  const { managedBy, runPolicy } = Object(manifest.spec) as { managedBy?: string; runPolicy?: Partial<RunPolicy> };
  const manager = managedBy ?? runPolicy?.managedBy;
  const details = [
    ...(manager === undefined ? [] : [`It says that ${manager} runs it (managedBy): no other operator touches it.`]),
    operator?.leads === false
      ? operator.note
      : 'Its operator does not run, does not look after this namespace, or has no rights here; its /readyz says which.',
  ];
  return {
    headline: 'waits: no operator has looked at it yet',
    findings: [{ title: 'There is neither a status nor a condition.', details }],
    next: findOperator(kind),
  };
}

function findOperator(kind: Kind): string[] {
  return [
    `kubectl get deployments -A -l app.kubernetes.io/name=muster-${operatorOf(kind)}`,
    `Install the operator ${operatorOf(kind)} if there is none: muster preflight ${operatorOf(kind)}`,
  ];
}

/** Pods that should be there, and for whose absence nothing gives a reason. */
function missingPods({ view, operator }: Known): Finding[] {
  const missing = view.roles.flatMap(({ name, wanted = 0, there = 0, succeeded }) => {
    const lacking = wanted - Math.max(there, succeeded);
    return lacking > 0 ? [`${lacking} of ${wanted} ${name}`] : [];
  });
  // A role that waits for others, a queue, and what an operator could not create have findings of their own.
  const isRefused = view.conditions.some(({ type, status }) => type === 'ReplicaFailure' && status === 'True');
  if (missing.length === 0 || isRefused || operator === undefined || operator.leads) return [];
  const title = `Pods are missing (${missing.join(', ')}), and no operator creates them.`;
  return [{ title, details: [operator.note], advice: findOperator(view.kind) }];
}

/** The framework whose operator runs the kind, as charts name it. */
export function operatorOf({ definition }: Kind): string {
  const [framework] = Object.entries(FRAMEWORKS).find(([, kinds]) =>
    kinds.some(({ resource }) => resource.kind === definition.resource.kind),
  ) ?? [''];
  return framework;
}

function invalid({ message = '' }: JobCondition): Explanation {
  return {
    headline: `cannot be run as it is written: ${message}`,
    findings: [{ title: 'No pod has been created.', details: ['Correct the spec, and the job starts.'] }],
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
  const gone = first === undefined ? podsAreGone(view) : [];
  const probe = failedProbe(known, first);
  const seen = first === undefined ? [] : [firstToFail(first, nowMs, cause)];
  const failedFindings = [...(recorded === undefined ? seen : [recorded]), ...probe, ...gone];
  const shown = [cause, ...failedFindings.flatMap(({ details }) => details)].join('\n');
  const when = age(failed?.lastTransitionTime, nowMs);
  return {
    headline: `has failed${when === '-' ? '' : ` ${when} ago`}${reason === undefined ? '' : ` (${reason})`}: ${[...(stopped === undefined ? [] : [stopped.note]), cause, ...probe.map(({ title }) => title)].join(' ')}`,
    findings: [
      ...(stopped === undefined ? [] : [stopped.finding]),
      ...failedFindings,
      ...warnings(known, shown),
      ...specWarnings(known),
    ],
    next: nextAfterFailure(view, failed, first, stopped !== undefined, probe),
  };
}

/** The kubelet kills a container whose liveness or startup probe fails: its end is that of any other signal. */
function failedProbe({ view, events }: Known, first: FirstFailure | undefined): Finding[] {
  const { exitCode = 0 } = first?.end ?? {};
  if (first === undefined || exitCode <= 128) return [];
  const { pod, role, container } = first.replica;
  const isKill = ({ regarding, reason, note = '' }: Event) =>
    reason === 'Killing' && regarding?.uid === pod.metadata?.uid && /failed (liveness|startup) probe/.test(note);
  const kill =
    events.findLast(isKill) ??
    events.findLast(
      ({ regarding, reason, note = '' }) =>
        reason === 'Unhealthy' && regarding?.uid === pod.metadata?.uid && /^(Liveness|Startup) probe failed/.test(note),
    );
  const which = /(liveness|startup) probe/i.exec(kill?.note ?? '')?.[1]?.toLowerCase();
  if (which === undefined) return [];
  const field = fieldOf(view, { role, container }, `${which}Probe`);
  return [
    {
      title: `Its ${which} probe failed.`,
      details: ['The kubelet ends a container whose probe fails.'],
      advice: [`Correct ${field}, or give the program more time (failureThreshold), and submit the job again`],
    },
  ];
}

/** The log of a peer does not say why a pod was deleted. */
function nextAfterFailure(
  view: JobView,
  failed: JobCondition | undefined,
  first: FirstFailure | undefined,
  isStopped: boolean,
  probe: readonly Finding[],
): string[] {
  const { firstFailure: recorded, manifest } = view;
  const { message = '' } = failed ?? {};
  if (message.includes('active longer than specified deadline')) {
    const { activeDeadlineSeconds } = runPolicyIn(manifest);
    return [
      `Raise spec.runPolicy.activeDeadlineSeconds (${activeDeadlineSeconds}), and submit the job again`,
      ...(first === undefined ? [] : [`logs ${logFlags(first)}`]),
    ];
  }
  const end = recorded ?? (first && { ...first.end, role: first.replica.role });
  const advice = [
    ...probe.flatMap((finding) => finding.advice ?? []),
    ...(end === undefined ? [] : adviceOnEnd(view, end)),
  ];
  if (advice.length > 0) return advice;
  if (first === undefined) return recorded === undefined ? ['events', 'get'] : [FIX, 'events'];
  const logs = `logs ${logFlags(first)}`;
  const isByCluster = isStopped || NOT_THE_PROGRAM[recorded?.class ?? 'Program'] !== undefined;
  return isByCluster ? ['events', logs] : [logs, 'events'];
}

const FIX = 'Correct the error above, and submit the job again';

function runPolicyIn({ spec }: JobView['manifest']): Partial<RunPolicy> {
  const { runPolicy = {} } = Object(spec) as { runPolicy?: Partial<RunPolicy> };
  return runPolicy;
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

function podsAreGone({ replicas, manifest }: JobView): Finding[] {
  if (replicas.length > 0) return [{ title: 'None of its pods that are there has failed.', details: [] }];
  // The pods that still ran at a limit are deleted whatever the policy.
  if (runPolicyIn(manifest).cleanPodPolicy === 'None') return [];
  const details = ['To keep them next time, set spec.runPolicy.cleanPodPolicy: None.'];
  return [{ title: 'Its pods are gone, and their logs with them.', details }];
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
  const loop = crashLoop(view, nowMs);
  const peers = loop === undefined ? waitingPeers(view) : [];
  const crash = loop ?? (peers.length === 0 ? repeatedFailure(view, nowMs) : undefined);
  const failures = lastFailures(view, restarted, nowMs, crash);
  const endless = endlessRestarts(view, crash ?? restarted?.replica.pod);
  const findings = [
    ...refusals,
    ...groups,
    ...smallerThanWanted(view),
    ...unstarted(view, nowMs),
    ...podFindings(known),
    ...waitingRoles(known),
    ...waitingInPods(view),
    ...missingPods(known),
    ...leaving(view, nowMs),
    ...hanging(view),
    ...(crash === undefined ? [...peers, ...failures, ...endless] : [...endless, ...failures]),
  ];
  const isFine = findings.length === 0 && isAllReady(view);
  const quiet = isFine ? progressUnknown(known) : [];
  const ofSpec = specWarnings(known);
  const standing = `${view.state}${view.ready === undefined ? '' : `, ${view.ready} ready`}`;
  const isWaiting = findings.length > 0 && view.state !== 'Running';
  const isKnownFine = isFine && quiet.length === 0;
  const how = isKnownFine ? `waits for nothing: ${standing}` : isWaiting ? `waits: ${standing}` : `is ${standing}`;
  const [cause] = [...findings, ...quiet];
  const text = crash ?? (cause && start(inOneLine(cause)));
  const all = [...findings, ...quiet, ...(findings.length > 0 ? [] : warnings(known)), ...ofSpec];
  return {
    headline: text === undefined ? how : `${how}. ${text}`,
    findings: crash === undefined && cause !== undefined && isWhole(cause) ? all.filter((each) => each !== cause) : all,
    next: nextOf(view, [...findings, ...ofSpec, ...quiet], restarted),
  };
}

function inOneLine({ title, details: [first = ''] }: Finding): string {
  return `${title} ${first}`.trim().replaceAll(/\s+/g, ' ');
}

function start(text: string): string {
  return text.length > LONGEST_CAUSE ? `${text.slice(0, LONGEST_CAUSE - 1)}…` : text;
}

/** Whether the first line has all of the finding. */
function isWhole(finding: Finding): boolean {
  return finding.details.length <= 1 && finding.logOf === undefined && inOneLine(finding).length <= LONGEST_CAUSE;
}

const LONGEST_CAUSE = 240;

/** Of a job that runs well as far as is known, and does not report its progress: a hang would not show. */
function progressUnknown({ view: { kind, manifest, conditions }, activity = [], nowMs }: Known): Finding[] {
  if (operatorOf(kind) === 'ray' || runPolicyIn(manifest).progressDeadlineSeconds !== undefined) return [];
  const running = conditions.find(({ type, status }) => type === 'Running' && status === 'True');
  const since = running === undefined ? [] : [`It has been running for ${age(running.lastTransitionTime, nowMs)}.`];
  return [
    {
      title: 'Whether it makes progress is not known: it does not report it.',
      details: [...since, ...activity],
      advice: ['logs -f', 'Set spec.runPolicy.progressDeadlineSeconds to have hangs detected (docs/users/progress.md)'],
    },
  ];
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

/** Of a job that goes on: what failed in the pods that are there, or why it is being restarted. */
function lastFailures(view: JobView, restarted: FirstFailure | undefined, nowMs: number, shown = ''): Finding[] {
  const recorded = view.state === 'Restarting' ? onRecord(view, restarted, nowMs, shown) : undefined;
  const finding = recorded ?? (restarted && firstToFail(restarted, nowMs, shown));
  return finding === undefined ? [] : [{ ...finding, title: finding.title.replace('First to fail', 'Has failed') }];
}

function nextOf(view: JobView, findings: readonly Finding[], restarted: FirstFailure | undefined): string[] {
  const advice = [...new Set(findings.flatMap((finding) => finding.advice ?? []))];
  if (advice.length > 0) return advice;
  if (restarted !== undefined) {
    const { replica, end } = restarted;
    const ofEnd = adviceOnEnd(view, { role: replica.role, ...end });
    return ofEnd.length > 0 ? ofEnd : [`logs ${logFlags(restarted)}`, 'events'];
  }
  return findings.length > 0 ? ['events', 'get'] : ['logs -f', 'get'];
}

function isAllReady({ roles }: JobView): boolean {
  return roles.every(({ wanted, ready, succeeded }) => wanted === undefined || ready + succeeded >= wanted);
}

function refusal({ reason = '', message = '' }: JobCondition): Finding {
  const quota = /exceeded quota: ([^,\s]+)/.exec(message)?.[1];
  const mend = quota === undefined ? [] : ['A quota is used up: free some of it, or have it raised.'];
  const again = message.includes('tried again') ? [] : ['It is tried again.'];
  return {
    title: `Something that it needs cannot be made (${reason}):`,
    details: [message, ...mend, ...again],
    ...(quota !== undefined && { advice: [`kubectl describe resourcequota ${quota}`] }),
    ...(/^(ReferenceNotFound|GangSchedulerNotFound)$/.test(reason) && { advice: ['kubectl edit'] }),
  };
}

/** Operators that have no condition for it say it in events. */
function refusedPods({ events, view }: Known): Finding[] {
  if (isFinished(view)) return [];
  const last = events.findLast(({ reason = '', note = '' }) => reason.startsWith('FailedCreate') && note !== '');
  if (last === undefined || isAllReady(view)) return [];
  // What was refused before may be there by now.
  const created = events.findLast(({ reason = '' }) => reason.startsWith('SuccessfulCreate'));
  const isOver = created !== undefined && timeOf(created) > timeOf(last);
  if (isOver) return [];
  return [refusal({ type: 'ReplicaFailure', status: 'True', reason: last.reason ?? '', message: last.note ?? '' })];
}

function unstarted(view: JobView, nowMs: number): Finding[] {
  const troubles = view.replicas.flatMap(({ name, role, pod }) => {
    const trouble = crashLoopOf(pod, { nowMs }) === undefined ? troubleOf(pod) : undefined;
    return trouble === undefined ? [] : [{ name, role, ...trouble }];
  });
  return [...Map.groupBy(troubles, ({ reason, message }) => `${reason}: ${message}`)].map(([what, held]) => {
    const names = held.map(({ name }) => name);
    const verb = names.length === 1 ? 'does not start' : 'do not start';
    const advice = held.slice(0, 1).flatMap((trouble) => adviceOnTrouble(view, trouble));
    return { title: `${shortened(names)} ${verb}:`, details: [what], advice };
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
  const nodes = [...new Set(stuck.flatMap(({ pod }) => pod.spec?.nodeName ?? []))];
  const held = stuck.flatMap(({ pod }) => pod.metadata?.finalizers ?? []);
  const where = nodes.length === 0 ? '' : ` on ${shortened(nodes)}`;
  const why = held.length > 0 ? `Finalizers hold them: ${shortened(held)}.` : 'The node may be lost.';
  const details = [`${why} What follows them waits until they are gone.`];
  const are = stuck.length === 1 ? 'is' : 'are';
  const title = `${shortened(stuck.map(({ name }) => name))}${where} should be gone, and ${are} not.`;
  const [node] = nodes;
  return [
    { title, details, ...(node !== undefined && held.length === 0 && { advice: [`kubectl describe nodes ${node}`] }) },
  ];
}

const OF_SPEC: ReadonlySet<string> = new Set(['APIServerWarning', 'SpecWarning', 'AnnotationIgnored']);

/** What is written in the spec, and is not read or not done. It may be the cause of all else. */
function specWarnings({ events }: Known): Finding[] {
  const notes = events.flatMap(({ reason = '', note }) => (OF_SPEC.has(reason) && note !== undefined ? [note] : []));
  if (notes.length === 0) return [];
  const isTypo = notes.some((note) => note.includes('unknown field'));
  const advice = isTypo ? ['Correct the unknown field in the manifest, and submit the job again'] : [];
  return [{ title: 'Warnings about its spec:', details: [...new Set(notes)], advice }];
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
