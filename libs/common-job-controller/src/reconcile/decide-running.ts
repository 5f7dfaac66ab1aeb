import { isFinished, type JobStatus, PODS } from '@muster/job-api';
import type { Outcome } from '../contract/adapter.ts';
import { changedSize } from '../elastic/changed-size.ts';
import { restartedWhenResized } from '../elastic/restarted-when-resized.ts';
import { gangStart, type GangStart } from '../gang/gang-start.ts';
import { NO_CHANGE, type Decision, type StatusDecision } from '../model/decision.ts';
import { earliest } from '../model/requeue.ts';
import { calls, type Write } from '../model/write.ts';
import { tallies } from '../replicas/job-replicas.ts';
import { uniqueNamesOf } from '../model/replica-identity.ts';
import { isToCreate, type ReplicaPod } from '../model/replica-pod.ts';
import { stuckPods } from '../pods/stuck-pods.ts';
import { waitingPods } from '../pods/waiting-pods.ts';
import { keptPods } from '../replicas/indispensable-pods.ts';
import { specWarnings, unreportedInvalidObject } from '../policies/invalid-spec.ts';
import { podsDeletedByForce } from '../policies/lost-nodes.ts';
import { remainingMs } from '../status/run-limits.ts';
import { resumed } from '../policies/suspension.ts';
import { withUnapplied } from '../policies/unapplied-change.ts';
import { followProgress } from '../progress/follow-progress.ts';
import { withUnknownProgress } from '../progress/progress-known.ts';
import { awaitingDelay, delayLeftMs } from '../restarts/awaiting-delay.ts';
import { restartedTogether } from '../restarts/group-restart.ts';
import { restartedInPlace } from '../failures/lost-replicas.ts';
import { awaitingGroup } from '../restarts/replica-groups.ts';
import { restartAccount, type RestartAccount } from '../restarts/restart-account.ts';
import { waitingPeers } from '../restarts/waiting-peers.ts';
import { nextStatus } from '../status/next-status.ts';
import { startLatencies } from '../status/start-latency.ts';
import { waitOf, withWaiting } from '../status/waiting.ts';
import { jobWarnings } from './job-warnings.ts';
import { planChildren } from '../children/plan-children.ts';
import type { JobPlanContext } from '../world/plan-context.ts';
import { planCleanUp } from '../children/plan-removal.ts';

export function decideRunning(context: JobPlanContext): Decision {
  const { adapter, world, replicas, unapplied, queueShortage } = context;
  const { nowMs } = world;
  const job = { ...context.job, status: resumed(context.job, nowMs) };

  const gang = gangStart(context, job);
  const reached = adapter.outcome(job, tallies(job, replicas.wanted), world);
  const outcome = gang.withNote(withUnapplied(restartedWhenResized(context, job, reached), unapplied));

  const account = restartAccount(job, replicas, nowMs, outcome);
  const restarted = restartedTogether(job, replicas, account.groups);
  const afterRestart = restarted.replicas.wanted;
  const wanted = awaitingDelay(awaitingGroup(afterRestart, account.records), account.records, nowMs);

  const progress = followProgress(adapter, job, afterRestart, world);
  const wait = waitOf(adapter, job, afterRestart, gang, world);
  const { progress: _before, ...counted } = nextStatus(
    { ...context, job },
    outcome,
    { before: replicas, restarted },
    account,
  );
  const reported = { ...counted, ...(progress.progress && { progress: progress.progress }) };
  const next = withWaiting(withUnknownProgress(reported, progress.unknown, nowMs), wait.wait, nowMs);
  const status = statusDecision(context, next, account, wanted);
  const after = { ...job, status: next };
  if (isFinished(next)) return { ...NO_CHANGE, ...planCleanUp({ ...context, job: after }), status };

  const attempt = { job: account.groups.length === 0 ? job : after, replicas: { ...restarted.replicas, wanted } };
  const children = planChildren({ ...context, ...attempt }, account, gang);
  const probes = adapter.probes?.calls?.({ ...context.job, status: next }, replicas.wanted, world);
  const ofQueue = queueShortage !== undefined && wanted.some(isToCreate) ? [queueShortage] : [];
  const reports = reportsOn({ ...context, job }, wanted, gang, outcome, progress);
  return {
    status,
    events: [...reports.events, ...children.events],
    writes: [...children.writes, ...labelled(context, next), ...calls(probes)],
    shortages: [...gang.shortages, ...ofQueue, ...children.shortages],
    ...(progress.probes && { probes: progress.probes }),
    ...(wanted.some((replica) => mayHaveUnseenPod(context, replica)) && { needsAllPods: true }),
    validForMs: remainingMs(after, nowMs),
    requeueAfterMs: earliest(
      children.requeueAfterMs,
      reports.requeueAfterMs,
      context.elastic?.requeueAfterMs,
      remainingMs(after, nowMs),
      wait.recheckAfterMs,
      restartDelayMs(account, nowMs),
    ),
  };
}

/** A name was assigned by another process, whose last pods the cache may lack. */
function mayHaveUnseenPod({ job, world }: JobPlanContext, replica: ReplicaPod): boolean {
  const { role } = replica;
  if (world.hasWrittenStatus || uniqueNamesOf(role) === undefined || !isToCreate(replica)) return false;
  return (job.status.replicaStatuses?.[role.name]?.nextOrdinal ?? 0) > 0;
}

function reportsOn(
  { adapter, job, world, elastic, unapplied }: JobPlanContext,
  wanted: readonly ReplicaPod[],
  gang: GangStart,
  outcome: Outcome,
  progress: ReturnType<typeof followProgress>,
): Pick<Decision, 'events' | 'requeueAfterMs'> {
  const { nowMs, emittedEvents } = world;
  const pods = wanted.flatMap(({ pod }) => pod ?? []);
  const stuck = stuckPods(world.pods, emittedEvents, nowMs, podsDeletedByForce(job, world));
  const peers = waitingPeers(wanted, emittedEvents, world.stateAges);
  return {
    events: [
      ...(unapplied === undefined ? unreportedInvalidObject(world) : []),
      ...(elastic?.events ?? []),
      ...changedSize(adapter, job, wanted, emittedEvents),
      ...gang.events,
      ...stuck.events,
      ...keptPods(adapter, job, wanted),
      ...restartedInPlace(wanted, emittedEvents),
      ...peers.events,
      ...waitingPods(pods, emittedEvents, gang.speaksForPods),
      ...specWarnings(adapter, world),
      ...progress.events,
      ...jobWarnings(outcome.warnings, 'FollowJob'),
    ],
    requeueAfterMs: earliest(
      gang.requeueAfterMs,
      stuck.requeueAfterMs,
      peers.requeueAfterMs,
      progress.requeueAfterMs,
      outcome.recheckAfterMs,
    ),
  };
}

function labelled({ adapter, job, world }: JobPlanContext, status: JobStatus): Write[] {
  const pods = adapter.podLabels?.of({ ...job, status }, world) ?? [];
  return pods.flatMap(({ pod, labels }): Write[] => {
    const has = pod.metadata?.labels ?? {};
    if (Object.entries(labels).every(([key, value]) => has[key] === value)) return [];
    return [{ op: 'annotate', resource: PODS, object: pod, annotations: {}, labels }];
  });
}

function restartDelayMs({ pending, records }: RestartAccount, nowMs: number): number | undefined {
  return earliest(
    ...pending.map(({ dueMs }) => (dueMs > nowMs ? dueMs - nowMs : undefined)),
    ...[...records.values()].map((record) => delayLeftMs(record, nowMs)),
  );
}

function statusDecision(
  { job: { status } }: JobPlanContext,
  after: JobStatus,
  { inherited, causes }: RestartAccount,
  replicas: readonly ReplicaPod[],
): StatusDecision {
  const isEnd = isFinished(after);
  return {
    before: { ...status, restartCount: (status.restartCount ?? 0) + inherited },
    after,
    restartCauses: isEnd ? causes.inPlace : [...causes.recreated, ...causes.inPlace],
    latencies: isEnd ? [] : startLatencies(status, after, replicas),
  };
}
