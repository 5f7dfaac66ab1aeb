/**
 * Explains why a job waits or failed: findings in the order of their importance. Pure; `why.ts` collects the input.
 */
import { crashLoopOf, statusOf, startProblemOf } from '@muster/common-job-controller';
import {
  FRAMEWORKS,
  INVALID_SPEC,
  START_DEADLINE_EXCEEDED,
  type Event,
  type JobCondition,
  type JobFailure,
  type Pod,
  type RunPolicy,
} from '@muster/job-api';
import type { Kind } from '../kinds.ts';
import { age } from '../terminal/age.ts';
import { adviceOnEnd, adviceOnProblem, fieldOf } from './advice.ts';
import { corrected } from './correction.ts';
import { countOf, timeOf } from './job-events.ts';
import { hasReachedLimit, isFinished, type JobView, type ReplicaView } from './job-view.ts';
import { badEndOf, errorLine, messageOf, type BadEnd } from './pod-end.ts';
import type { KindExplanation } from './kind-explanation.ts';
import { podFindings } from './pod-findings.ts';
import { waitingPeers } from './waiting-peers.ts';
import { KUEUE_MISSING, queueOf } from './queue-trouble.ts';
import { crashLoop, endlessRestarts, repeatedFailure } from './repeated-failure.ts';
import { stoppedPod } from './stopped-pod.ts';

export interface Known {
  readonly view: JobView;
  /** Events of the job and its pods, ordered by time. */
  readonly events: readonly Event[];
  /** The gang scheduler's message about its pod group. */
  readonly podGroup?: string;
  /** Kueue's messages about a suspended job; empty if it is not suspended or in no queue. */
  readonly queue?: readonly string[];
  /** Whether an operator leads for its kind. Undefined if not needed, or if Leases cannot be read. */
  readonly operator?: { readonly leads: boolean; readonly note: string } | undefined;
  /** Signs of activity of a running job that does not report progress. */
  readonly activity?: readonly string[];
  readonly nowMs: number;
}

export interface Finding {
  /** Empty for what follows the headline directly. */
  readonly title: string;
  readonly details: readonly string[];
  /** The next steps: sentences, which begin with a capital letter, or commands. */
  readonly advice?: readonly string[];
  /** The replica whose last log lines belong to the finding. */
  readonly logOf?: FirstFailure;
}

export interface Explanation {
  /** The text after the job's name: `has failed: …`. */
  readonly headline: string;
  readonly findings: readonly Finding[];
  /**
   * Commands of this program, or of kubectl if they begin with `kubectl`. Those that begin with a capital letter are sentences. A
   * command without a reference such as `raycluster/fruit` is about this job.
   */
  readonly next: readonly string[];
}

export interface FirstFailure {
  readonly replica: ReplicaView;
  readonly end: BadEnd;
}

export function explain(known: Known): Explanation {
  const { view } = known;
  if (view.state === undefined) return notReconciled(known);
  const failed = holding(view, 'Failed');
  if (view.state === 'Failed' && failed?.reason === INVALID_SPEC) return invalid(failed);
  if (view.state === 'Failed') return failure(known, failed);
  if (view.state === 'Succeeded') {
    const when = age(view.completionTime, known.nowMs);
    return { headline: `has succeeded${when === '-' ? '' : `, ${when} ago`}`, findings: [], next: ['logs'] };
  }
  if (view.kind.explain !== undefined) return byKind(known, view.kind.explain(view.manifest));
  if (view.state === 'Suspended') return suspended(known);
  return waiting(known);
}

function byKind(known: Known, { headline, details, next }: KindExplanation): Explanation {
  const refused = holding(known.view, 'ReplicaFailure');
  const refusals = refused === undefined ? [] : [refusal(refused)];
  const findings = [{ title: 'Runs:', details }, ...refusals, ...warnings(known), ...specWarnings(known)];
  return { headline, findings, next: [...refusals.flatMap(({ advice = [] }) => advice), ...next] };
}

function holding({ conditions }: JobView, type: string): JobCondition | undefined {
  return conditions.find((condition) => condition.type === type && condition.status === 'True');
}

function notReconciled({ view: { kind, manifest }, operator }: Known): Explanation {
  const { managedBy, runPolicy } = Object(manifest.spec) as { managedBy?: string; runPolicy?: Partial<RunPolicy> };
  const manager = managedBy ?? runPolicy?.managedBy;
  const field = managedBy === undefined ? 'spec.runPolicy.managedBy' : 'spec.managedBy';
  const details = [
    ...(manager === undefined ? [] : [`${field} is ${manager}: other controllers do not run the job.`]),
    operator?.leads === false
      ? operator.note
      : 'Its operator does not run, does not watch this namespace, or lacks permissions here. /readyz of the operator shows which.',
  ];
  return {
    headline: 'is waiting: no operator has reconciled it yet',
    findings: [{ title: 'The job has no status and no conditions.', details }],
    next: findOperator(kind),
  };
}

function findOperator(kind: Kind): string[] {
  return [
    `kubectl get deployments -A -l app.kubernetes.io/name=muster-${operatorOf(kind)}`,
    `Install the operator ${operatorOf(kind)} if the list is empty; check the cluster first: muster preflight ${operatorOf(kind)}`,
  ];
}

/** Missing pods without another reason. */
function missingPods({ view, operator }: Known): Finding[] {
  const missing = view.roles.flatMap(({ name, wanted = 0, there = 0, succeeded }) => {
    const lacking = wanted - Math.max(there, succeeded);
    return lacking > 0 ? [`${lacking} of ${wanted} ${name}`] : [];
  });
  // Waiting roles, queues and refused creations have findings of their own.
  const isRefused = view.conditions.some(({ type, status }) => type === 'ReplicaFailure' && status === 'True');
  if (missing.length === 0 || isRefused || operator === undefined || operator.leads) return [];
  const title = `Pods are missing (${missing.join(', ')}), and no operator creates them.`;
  return [{ title, details: [operator.note], advice: findOperator(view.kind) }];
}

/** The framework whose operator runs the kind, by the name of its chart. */
export function operatorOf({ definition }: Kind): string {
  const [framework] = Object.entries(FRAMEWORKS).find(([, kinds]) =>
    kinds.some(({ resource }) => resource.kind === definition.resource.kind),
  ) ?? [''];
  return framework;
}

function invalid({ message = '' }: JobCondition): Explanation {
  return {
    headline: `has an invalid spec: ${message}`,
    findings: [{ title: 'No pod has been created.', details: ['The job starts when its spec is corrected.'] }],
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
  const stop = stopped === undefined ? [] : [stopped.finding];
  const shown = [cause, ...[...stop, ...failedFindings].flatMap(({ details }) => details)].join('\n');
  const when = age(failed?.lastTransitionTime, nowMs);
  return {
    headline: `has failed${when === '-' ? '' : ` ${when} ago`}${reason === undefined ? '' : ` (${reason})`}: ${[...(stopped === undefined ? [] : [stopped.note]), cause, ...probe.map(({ note }) => note)].join(' ')}`,
    findings: [...stop, ...failedFindings, ...warnings(known, shown, error), ...specWarnings(known)],
    next: nextAfterFailure(view, failed, first, stopped !== undefined, probe),
  };
}

/** The kubelet kills a container whose liveness or startup probe fails. Its exit code shows only the signal. */
function failedProbe(
  { view, events }: Known,
  first: FirstFailure | undefined,
): (Finding & { readonly note: string })[] {
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
      note: `Its ${which} probe failed.`,
      title: `The kubelet kills a container whose ${which} probe fails.`,
      details: [],
      advice: corrected(view, `Correct ${field} or raise its failureThreshold`),
    },
  ];
}

/** After a deletion by the cluster, events come first: the log of another pod does not show why a pod was deleted. */
function nextAfterFailure(
  view: JobView,
  failed: JobCondition | undefined,
  first: FirstFailure | undefined,
  isStopped: boolean,
  probe: readonly Finding[],
): string[] {
  const { firstFailure: recorded, manifest } = view;
  const { reason, message = '' } = failed ?? {};
  if (reason === START_DEADLINE_EXCEEDED) {
    const { startDeadlineSeconds } = runPolicyIn(manifest);
    return [
      ...corrected(
        view,
        `Remove the cause above, or raise spec.runPolicy.startDeadlineSeconds (${startDeadlineSeconds})`,
      ),
      'events',
    ];
  }
  if (message.includes('active longer than specified deadline')) {
    const { activeDeadlineSeconds } = runPolicyIn(manifest);
    return [
      ...corrected(view, `Raise spec.runPolicy.activeDeadlineSeconds (${activeDeadlineSeconds})`),
      ...(first === undefined ? [] : [`logs ${logFlags(first)}`]),
    ];
  }
  const end = recorded ?? (first && { ...first.end, role: first.replica.role });
  const advice = [
    ...probe.flatMap((finding) => finding.advice ?? []),
    ...(end === undefined ? [] : adviceOnEnd(view, end)),
  ];
  if (advice.length > 0) return advice;
  if (first === undefined)
    return recorded === undefined ? ['events', 'get'] : [...corrected(view, 'Correct the error above'), 'events'];
  const logs = `logs ${logFlags(first)}`;
  const isByCluster = isStopped || NOT_THE_PROGRAM[recorded?.class ?? 'Program'] !== undefined;
  return isByCluster ? ['events', logs] : [logs, ...corrected(view, 'Correct the error above')];
}

function runPolicyIn({ spec }: JobView['manifest']): Partial<RunPolicy> {
  const { runPolicy = {} } = Object(spec) as { runPolicy?: Partial<RunPolicy> };
  return runPolicy;
}

/**
 * Adds the last error in the log of the failed container, unless it is shown already; for a failed job to the headline. A
 * termination message has 2 KiB, which a launcher's report may fill.
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
  Evicted: 'The pod was evicted; its program did not exit by itself.',
  Preempted: 'A pod of a higher priority preempted this pod.',
  NodeLost: 'The node of the pod was lost.',
  Refused: 'The node or the scheduler rejected the pod.',
  Deleted: 'Other pods of the job failed because of that. The audit log of the API server records who deleted it.',
  Cascade: 'It failed because another process had ended. Which process ended first is unknown.',
};

/** The first failure in the job's status, with the log if the pod still exists. */
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
    details: [messageOf(failure, shown), ...(whose === undefined ? [] : [whose])],
    ...(isThere && { logOf: first }),
  };
}

function podsAreGone(view: JobView): Finding[] {
  const { kind, replicas, manifest } = view;
  if (replicas.length > 0) return [{ title: 'None of its remaining pods has failed.', details: [] }];
  if (hasReachedLimit(view)) {
    const details = ['When a job reaches a limit, its running pods are deleted under every cleanPodPolicy.'];
    return [{ title: 'Its pods and their logs are deleted.', details }];
  }
  // A Ray cluster has no cleanPodPolicy.
  if (operatorOf(kind) === 'ray' || runPolicyIn(manifest).cleanPodPolicy === 'None') return [];
  const details = ['To keep them next time, set spec.runPolicy.cleanPodPolicy: None.'];
  return [{ title: 'Its pods and their logs are deleted.', details }];
}

/** The flags of `logs` for the container that failed. */
function logFlags({ replica, end }: FirstFailure): string {
  const container = end.container === undefined || end.container === replica.container ? '' : ` -c ${end.container}`;
  return `--replica ${replica.name}${container}${end.isPrevious ? ' --previous' : ''}`;
}

/**
 * The existing pod that the job's status names, or else the one whose container failed first: the others often fail because of
 * it.
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
  const isOnly = end.isPrevious ? ['The container has been restarted since.'] : [];
  return {
    title: `First to fail: ${replica.name} (${where})${when}`,
    details: [whatOf(end, shown), ...isOnly],
    logOf: first,
  };
}

/** Without an error that is shown above. */
function whatOf({ what, error }: BadEnd, shown: string): string {
  return error !== undefined && shown.includes(error) ? what.replace(`; message: ${error}`, '') : what;
}

function suspended({ view: { manifest }, queue: details = [] }: Known): Explanation {
  const queue = queueOf(manifest);
  if (queue === undefined) {
    return { headline: 'is suspended: it has no pods until it is resumed', findings: [], next: ['resume'] };
  }
  const title = `The job is in the LocalQueue ${queue}. Kueue resumes it when it is admitted.`;
  const next = details.includes(KUEUE_MISSING) ? 'resume' : 'kubectl get workloads';
  return { headline: 'is suspended', findings: [{ title, details }], next: [next] };
}

function waiting(known: Known): Explanation {
  const { view, podGroup, nowMs } = known;
  const refused = holding(view, 'ReplicaFailure');
  const refusals = refused === undefined ? refusedPods(known) : [refusal(refused)];
  const groups = podGroup === undefined ? [] : [{ title: 'Its pod group is not scheduled.', details: [podGroup] }];
  const restarted = firstFailure(view);
  const loop = crashLoop(view, nowMs);
  const peers = loop === undefined ? waitingPeers(view) : [];
  const crash = loop ?? (peers.length === 0 ? repeatedFailure(view, nowMs) : undefined);
  const failures = lastFailures(view, restarted, nowMs, crash);
  const endless = endlessRestarts(view, crash ?? restarted?.replica.pod);
  const findings = [
    ...refusals,
    ...groups,
    ...failedCluster(view),
    ...smallerThanRequested(view),
    ...notStarted(view, nowMs),
    ...podFindings(known),
    ...waitingRoles(known),
    ...waitingInPods(view),
    ...missingPods(known),
    ...stuckTerminating(view, nowMs),
    ...hanging(view),
    ...(crash === undefined ? [...peers, ...failures, ...endless] : [...endless, ...failures]),
    ...beingDeleted(view, nowMs),
  ];
  const isFine = findings.length === 0 && isAllReady(view);
  const quiet = isFine ? progressNotReported(known) : [];
  const earlier = isFine ? asLastFailure(onRecord(view, undefined, nowMs)) : [];
  const ofSpec = specWarnings(known);
  const current = `${view.state}${view.ready === undefined ? '' : `, ${view.ready} ready`}`;
  const isWaiting = findings.length > 0 && view.state !== 'Running';
  const isKnownFine = isFine && quiet.length === 0;
  const how = isKnownFine ? `has no known problem: ${current}` : isWaiting ? `is waiting: ${current}` : `is ${current}`;
  const [cause] = [...findings, ...quiet];
  const [text, rest] = crash === undefined && cause !== undefined ? underHeadline(cause) : [crash, []];
  const activity = quiet.length > 0 ? signsOfActivity(known) : [];
  const others = [...findings, ...quiet].filter((each) => crash !== undefined || each !== cause);
  const all = [...rest, ...others, ...activity, ...earlier, ...(findings.length > 0 ? [] : warnings(known)), ...ofSpec];
  return {
    headline: text === undefined ? how : `${how}. ${text}`,
    findings: all,
    next: nextOf(view, [...findings, ...ofSpec, ...quiet], restarted),
  };
}

/** The part of the first finding for the headline, and the rest, which follows without a title. No text is in both. */
function underHeadline(cause: Finding): [text: string, rest: readonly Finding[]] {
  const { title, details } = cause;
  const [first = '', ...others] = details;
  const inOneLine = `${title}${first === '' || /[.:]$/.test(title) ? ' ' : ': '}${first}`
    .trim()
    .replaceAll(/\s+/g, ' ');
  const isShort = inOneLine.length <= LONGEST_CAUSE;
  const left = isShort ? others : details;
  const hasRest = left.length > 0 || cause.logOf !== undefined;
  return [isShort ? inOneLine : title, hasRest ? [{ ...cause, title: '', details: left }] : []];
}

const LONGEST_CAUSE = 300;

/** For a job without known problems. Reporting progress is optional, but without it a hang is not visible. */
function progressNotReported({ view: { kind, manifest, conditions }, nowMs }: Known): Finding[] {
  if (operatorOf(kind) === 'ray' || runPolicyIn(manifest).progressDeadlineSeconds !== undefined) return [];
  const running = conditions.find(({ type, status }) => type === 'Running' && status === 'True');
  const since = running === undefined ? [] : [`It has been running for ${age(running.lastTransitionTime, nowMs)}.`];
  return [
    {
      title: NO_PROGRESS_REPORTED,
      details: since,
      advice: [
        'logs -f',
        'To have hangs detected, let the program report its step and set spec.runPolicy.progressDeadlineSeconds (docs/users/progress.md)',
      ],
    },
  ];
}

const NO_PROGRESS_REPORTED =
  'Its program does not report progress. Reporting is optional, and lets Muster detect hangs (docs/users/progress.md).';

function signsOfActivity({ activity = [] }: Known): Finding[] {
  return activity.length === 0 ? [] : [{ title: 'Signs of activity:', details: activity }];
}

/** An elastic job that got fewer workers than requested. */
function smallerThanRequested({ kind, manifest }: JobView): Finding[] {
  const { granted, wanted, message } =
    statusOf(kind.adapter({ clusterDomain: 'cluster.local' }), manifest).elastic ?? {};
  if (granted === undefined || wanted === undefined || granted >= wanted || message === undefined) return [];
  return [
    {
      title: `It has ${granted} of ${wanted} requested workers:`,
      details: [message],
      advice: [
        'Free resources or add nodes: the job then gets its workers at the next attempt',
        'kubectl describe nodes',
      ],
    },
  ];
}

/** A program that reports progress and makes none. */
function hanging({ kind, manifest, replicas }: JobView): Finding[] {
  const { progress, conditions } = statusOf(kind.adapter({ clusterDomain: 'cluster.local' }), manifest);
  const unknown = conditions?.find(({ type }) => type === 'ProgressKnown')?.message;
  if (unknown !== undefined)
    return [{ title: 'Its progress is unknown.', details: [unknown], advice: ['logs', 'events'] }];
  const { message, behind } = progress ?? {};
  if (message === undefined) return [];
  // `no progress for 60 s, since <time>: <which replica is behind>`
  const [, what, which = message] = /^(no progress for .*?): (.*)$/s.exec(message) ?? [];
  const late = replicas.find(({ pod }) => behind !== undefined && pod.metadata?.name === behind.pod);
  const { failurePolicy } = runPolicyIn(manifest);
  const isRestarted = failurePolicy?.rules.some(({ onNoProgress }) => onNoProgress === true) === true;
  return [
    {
      title: what === undefined ? 'It makes no progress.' : `It has made ${what}:`,
      details: [which],
      advice: [
        late === undefined ? 'logs --all' : `logs --replica ${late.name}`,
        ...(isRestarted ? [] : [RESTART_WHEN_HANGING]),
      ],
    },
  ];
}

const RESTART_WHEN_HANGING =
  'To have it restarted when it hangs, add a rule with onNoProgress to spec.runPolicy.failurePolicy (docs/users/progress.md)';

/** The last failure of a job that continues. */
function lastFailures(view: JobView, restarted: FirstFailure | undefined, nowMs: number, shown = ''): Finding[] {
  const recorded = view.state === 'Restarting' ? onRecord(view, restarted, nowMs, shown) : undefined;
  const finding = recorded ?? (restarted && firstToFail(restarted, nowMs, shown));
  return asLastFailure(finding);
}

function asLastFailure(finding: Finding | undefined): Finding[] {
  return finding === undefined ? [] : [{ ...finding, title: finding.title.replace('First to fail', 'Last failure') }];
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
  const remedy = quota === undefined ? [] : [`The quota ${quota} is used up: free resources, or raise the quota.`];
  const verb = reason.startsWith('FailedUpdate')
    ? 'changed'
    : reason.startsWith('FailedDelete')
      ? 'deleted'
      : 'created';
  const again = /tried again|retr(y|ie)/i.test(message) ? [] : ['The operator retries.'];
  return {
    title: `An object of the job cannot be ${verb} (${reason}):`,
    details: [message, ...remedy, ...again],
    ...(quota !== undefined && { advice: [`kubectl describe resourcequota ${quota}`] }),
    ...(/^(ReferenceNotFound|GangSchedulerNotFound)$/.test(reason) && { advice: ['kubectl edit'] }),
  };
}

/** For operators that report a refused creation only in events. */
function refusedPods({ events, view }: Known): Finding[] {
  if (isFinished(view)) return [];
  const last = events.findLast(({ reason = '', note = '' }) => reason.startsWith('FailedCreate') && note !== '');
  if (last === undefined || isAllReady(view)) return [];
  // The refused object may have been created since.
  const created = events.findLast(({ reason = '' }) => reason.startsWith('SuccessfulCreate'));
  const isOver = created !== undefined && timeOf(created) > timeOf(last);
  if (isOver) return [];
  return [refusal({ type: 'ReplicaFailure', status: 'True', reason: last.reason ?? '', message: last.note ?? '' })];
}

/** Of a RayJob, which continues to wait until its cluster is corrected. */
function failedCluster(view: JobView): Finding[] {
  const { spec, status } = view.manifest;
  const { rayClusterName = '', rayClusterStatus: { state, reason = '' } = {} } = Object(status) as {
    readonly rayClusterName?: string;
    readonly rayClusterStatus?: { readonly state?: string; readonly reason?: string };
  };
  if (state !== 'failed') return [];
  const advice =
    'rayClusterSpec' in (Object(spec) as object)
      ? corrected(view, 'Correct spec.rayClusterSpec')
      : [`Correct RayCluster ${rayClusterName}`, `kubectl edit rayclusters.ray.io ${rayClusterName}`];
  return [{ title: `Its RayCluster ${rayClusterName} has failed:`, details: [reason], advice }];
}

function notStarted(view: JobView, nowMs: number): Finding[] {
  const stuck = view.replicas.flatMap(({ name, role, pod }) => {
    const trouble = crashLoopOf(pod, { nowMs }) === undefined ? startProblemOf(pod) : undefined;
    return trouble === undefined ? [] : [{ name, role, ...trouble }];
  });
  return [...Map.groupBy(stuck, ({ reason, message }) => `${reason}: ${message}`)].map(([what, held]) => {
    const names = held.map(({ name }) => name);
    const verb = names.length === 1 ? 'does not start' : 'do not start';
    const advice = held.slice(0, 1).flatMap((trouble) => {
      const pods = held.flatMap(({ role, pod }) => (role === trouble.role ? [pod] : []));
      return adviceOnProblem(view, { ...trouble, pods });
    });
    return { title: `${shortened(names)} ${verb}:`, details: [what], advice };
  });
}

/** Roles without pods that wait for others, with the note of the operator's event. */
function waitingRoles({ view: { roles, replicas }, events }: Known): Finding[] {
  return roles.flatMap(({ name, wanted = 0, succeeded }) => {
    const hasPods = replicas.some(({ role }) => role === name);
    if (hasPods || succeeded >= wanted) return [];
    const note = events.findLast(
      ({ reason, note: text = '' }) => reason === 'WaitingForRole' && text.startsWith(`No pods of ${name} `),
    )?.note;
    return note === undefined ? [] : [{ title: `The role ${name} is waiting:`, details: [note] }];
  });
}

/** Pods whose init container of Muster waits for the pods of another role. */
function waitingInPods({ roles, replicas }: JobView): Finding[] {
  const ofRoles = new Set(roles.map(({ name }) => `wait-for-${name.toLowerCase()}`));
  const waiting = replicas.flatMap(({ name, pod }) => {
    const running = pod.status?.initContainerStatuses?.find(({ state }) => state?.running !== undefined);
    return running !== undefined && ofRoles.has(running.name) ? [{ name, container: running.name }] : [];
  });
  return [...Map.groupBy(waiting, ({ container }) => container)].map(([container, held]) => {
    const title = `${shortened(held.map(({ name }) => name))} ${held.length === 1 ? 'waits' : 'wait'} for other pods:`;
    return {
      title,
      details: [
        `The init container ${container} ends when those pods accept connections. Its log names the pod that does not.`,
      ],
    };
  });
}

const MOST_NAMES = 5;

function shortened(names: readonly string[]): string {
  const rest = names.length - MOST_NAMES;
  return `${names.slice(0, MOST_NAMES).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** Pods that exist after their grace period block the names of their replacements. */
function stuckTerminating({ replicas }: JobView, nowMs: number): Finding[] {
  const stuck = replicas.filter(({ pod }) => Date.parse(pod.metadata?.deletionTimestamp ?? '') < nowMs);
  if (stuck.length === 0) return [];
  const nodes = [...new Set(stuck.flatMap(({ pod }) => pod.spec?.nodeName ?? []))];
  const held = stuck.flatMap(({ pod }) => pod.metadata?.finalizers ?? []);
  const where = nodes.length === 0 ? '' : ` on ${shortened(nodes)}`;
  const why = held.length > 0 ? `Finalizers: ${shortened(held)}.` : 'The node may be lost.';
  const [are, they, its] = stuck.length === 1 ? ['is', 'it is', 'its'] : ['are', 'they are', 'their'];
  const details = [`${why} No replacement is created until ${they} gone.`];
  const title = `${shortened(stuck.map(({ name }) => name))}${where} ${are} still terminating after ${its} grace period.`;
  const [node] = nodes;
  return [
    { title, details, ...(node !== undefined && held.length === 0 && { advice: [`kubectl describe nodes ${node}`] }) },
  ];
}

/** Pods of a running job within their grace period, unless the job got smaller. */
function beingDeleted({ state, roles, replicas }: JobView, nowMs: number): Finding[] {
  if (state !== 'Running') return [];
  const ending = roles.flatMap(({ name, wanted = 0 }) => {
    const [gone, stay] = partition(replicas.filter(({ role }) => role === name));
    return stay.length < wanted ? gone.filter(({ pod }) => endOf(pod) >= nowMs) : [];
  });
  const lastMs = Math.max(...ending.map(({ pod }) => endOf(pod)));
  if (ending.length === 0) return [];
  const [are, they] = ending.length === 1 ? ['is', 'it is'] : ['are', 'they are'];
  const within = age(new Date(nowMs).toISOString(), lastMs);
  const names = shortened(ending.map(({ name }) => name));
  const title = `${names} ${are} being deleted, and recreated when ${they} gone, in ${within} at the latest.`;
  return [{ title, details: [] }];
}

function partition(replicas: readonly ReplicaView[]): [deleted: ReplicaView[], others: ReplicaView[]] {
  const isDeleted = ({ pod }: ReplicaView) => pod.metadata?.deletionTimestamp !== undefined;
  return [replicas.filter(isDeleted), replicas.filter((replica) => !isDeleted(replica))];
}

function endOf({ metadata }: Pod): number {
  return Date.parse(metadata?.deletionTimestamp ?? '');
}

const OF_SPEC: ReadonlySet<string> = new Set(['APIServerWarning', 'SpecWarning', 'AnnotationIgnored']);

/** Parts of the spec that are ignored. They may cause the other findings. */
function specWarnings({ events, view }: Known): Finding[] {
  const all = events.flatMap(({ reason = '', note }) => (OF_SPEC.has(reason) && note !== undefined ? [note] : []));
  // A cluster that the object creates repeats what concerns its part of the spec.
  const notes = all.filter(
    (note) => !all.some((other) => other !== note && other.endsWith(note.replace(/^spec[.]/, ''))),
  );
  if (notes.length === 0) return [];
  const isTypo = notes.some((note) => note.includes('unknown field'));
  const advice = isTypo ? corrected(view, 'Correct the unknown field in the manifest') : [];
  return [{ title: 'Warnings about its spec:', details: [...new Set(notes)], advice }];
}

const MOST_WARNINGS = 5;
/** Shorter errors, such as `Killed`, may be part of another message. */
const LEAST_ERROR = 20;

/** The last warning of each reason, except those shown above, and those about the same error: a kubelet adds its own steps to it. */
function warnings({ events, nowMs }: Known, shown = '', error = ''): Finding[] {
  const isKnown = (note: string) => shown.includes(note) || (error.length >= LEAST_ERROR && note.includes(error));

  const byReason = new Map<string, Event>();
  for (const event of events) {
    const isShown = event.note !== undefined && event.note !== '' && isKnown(event.note);
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
