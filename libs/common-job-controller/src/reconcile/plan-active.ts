/** A job that may run: where it stands by its replicas, what to restart, and which children it should have. */
import { FAILURE_POLICY, reasonOf, type JobStatus, type Pod } from '@muster/job-api';
import type { Outcome } from '../contract/adapter.ts';
import type { TrainingJob } from '../model/training-job.ts';
import { planChildren } from './plan-children.ts';
import { planCleanUp } from './plan-removal.ts';
import type { JobPassContext } from './pass-context.ts';
import { hasCondition, isFinished, timestamp, withCondition, type NewCondition } from '../status/conditions.ts';
import { fellWithPeer, firstFailed } from '../failures/first-failure.ts';
import { keptFailures } from '../failures/kept-failures.ts';
import { failureCause } from '../restarts/failure-cause.ts';
import { changedSize } from '../elastic/changed-size.ts';
import { gangStart, type GangStart } from '../gang/gang-start.ts';
import { keptPods } from '../policies/indispensable-pods.ts';
import { podsDeletedByForce } from '../policies/lost-nodes.ts';
import { specWarnings, UNAPPLIED, unreportedRefusal } from '../policies/invalid-spec.ts';
import { desiredOwnedResources } from '../owned-resources/job-owned-resources.ts';
import { generationOf } from '../model/job-identity.ts';
import { namedForScaleDown, tallies, type JobReplicas } from '../pods/job-replicas.ts';
import { completed, endOnRecord, lastCounts, readyCount, replicaStatuses, withCreated } from '../status/job-status.ts';
import { endedByPolicy } from '../restarts/judged-replicas.ts';
import { deletionCause, isGoing, lossAdvice, restartedInPlace } from '../restarts/lost-replicas.ts';
import { NO_CHANGE, type Decision, type StatusDecision } from '../model/decision.ts';
import type { PlannedEvent } from '../model/event.ts';
import { jobWarnings } from './job-warnings.ts';
import { placeKey } from '../model/replica-hosts.ts';
import { containerRestarts, type ReplicaPod } from '../pods/replica-pods.ts';
import { waitingPeers } from '../restarts/waiting-peers.ts';
import { earliest } from '../model/requeue.ts';
import { awaitingDelay, delayLeftMs } from '../restarts/awaiting-delay.ts';
import { awaitingMates } from '../restarts/replica-mates.ts';
import { restartedTogether, type GroupRestart } from '../restarts/group-restart.ts';
import { dueAtMs } from '../restarts/restart-backoff.ts';
import { restartAccount, type RestartAccount } from '../restarts/restart-account.ts';
import { reachedLimit, remainingActiveMs } from '../policies/run-limits.ts';
import { mergePatch } from '../owned-resources/merge-patch.ts';
import { holdBackMs } from '../status/status-pace.ts';
import { allRunningSince, hasRun, startLatencies } from '../status/start-latency.ts';
import { disruptionOf } from '../pods/pod-end.ts';
import { stuckPods } from '../pods/stuck-pods.ts';
import { resumed } from '../policies/suspension.ts';
import { withUnknownProgress } from '../progress/progress-known.ts';
import { followProgress } from '../progress/follow-progress.ts';
import { waitOf, withWaiting } from '../status/waiting.ts';
import { waitingPods } from '../pods/waiting-pods.ts';
import type { UnwrittenStatus, World } from './world.ts';

export function planActive(stored: JobPassContext): Decision {
  const { adapter, world, replicas, queueLack } = stored;
  const { nowMs, told } = world;
  const { restarts } = world.unwritten ?? {};
  const known = { ...stored.job, status: { ...stored.job.status, ...(restarts && { restarts }) } };
  const job = { ...known, status: resumed(known, nowMs) };
  const gang = gangStart(stored, job);
  const outcome = gang.told(adapter.outcome(job, tallies(job, replicas.wanted), world));
  const account = restartAccount(job, replicas, nowMs, outcome.phase === 'Restarting');
  const anew = restartedTogether(job, replicas, account.groups);
  const followed = followProgress(adapter, job, anew.replicas.wanted, world);
  const { progress: _before, ...status } = nextStatus({ ...stored, job }, outcome, { before: replicas, anew }, account);
  const { wait, recheckAfterMs } = waitOf(adapter, job, anew.replicas.wanted, gang, world);
  const shown = { ...status, ...(followed.progress && { progress: followed.progress }) };
  const next = withWaiting(withUnknownProgress(shown, followed.unknown, nowMs), wait, nowMs);
  const after = { ...job, status: next };
  const wanted = awaitingDelay(awaitingMates(anew.replicas.wanted, account.records), account.records, nowMs);
  const { holdMs, decided } = planStatus(stored, next, account, wanted);
  if (isFinished(next)) {
    const cleanUp = planCleanUp({ ...stored, job: after });
    return { ...NO_CHANGE, ...cleanUp, status: decided };
  }

  const isMissing = wanted.some(({ state }) => state === 'missing');
  const lacks = queueLack !== undefined && isMissing ? [queueLack] : [];
  const present = account.groups.length === 0 ? job : after;
  const stuck = stuckPods(world.pods, told, nowMs, podsDeletedByForce(job, world));
  const news = { gang, wanted, stuck, peers: waitingPeers(wanted, told, world.stateAges), followed, outcome };
  const children = planChildren(
    { ...stored, job: present, replicas: { ...anew.replicas, wanted } },
    {
      due: account.pending.filter(({ dueMs }) => dueMs <= nowMs).map(({ replica }) => replica),
      account,
      mayMakePods: gang.mayMakePods && queueLack === undefined,
      decorate: gang.decorate,
      ownedResources: desiredOwnedResources(adapter, present, gang.scheduler, wanted, world),
    },
  );
  return {
    ...children,
    status: decided,
    events: [...eventsOf({ ...stored, job }, news), ...children.events],
    shortages: [...gang.lacks, ...lacks, ...children.shortages],
    ...(followed.questions && { questions: followed.questions }),
    validForMs: remainingActiveMs(after, nowMs),
    requeueAfterMs: earliest(
      children.requeueAfterMs,
      gang.requeueAfterMs,
      stored.elastic?.requeueAfterMs,
      stuck.requeueAfterMs,
      news.peers.requeueAfterMs,
      followed.requeueAfterMs,
      holdMs > 0 ? holdMs : undefined,
      remainingActiveMs(after, nowMs),
      outcome.recheckAfterMs,
      recheckAfterMs,
      ...account.pending.map(({ dueMs }) => (dueMs > nowMs ? dueMs - nowMs : undefined)),
      ...[...account.records.values()].map((record) => delayLeftMs(record, nowMs)),
    ),
  };
}

/** What is told of the job in this pass. */
function eventsOf(
  { adapter, job, world, elastic }: JobPassContext,
  { gang, wanted, stuck, peers, followed, outcome }: News,
): PlannedEvent[] {
  const { told } = world;
  return [
    ...unreportedRefusal(world),
    ...(elastic?.events ?? []),
    ...changedSize(adapter, job, wanted, told),
    ...gang.events,
    ...stuck.events,
    ...keptPods(adapter, job, wanted, { named: namedForScaleDown(job), told }),
    ...restartedInPlace(wanted, told),
    ...peers.events,
    ...waitingPods(podsOf(wanted), told, gang.speaksForPods),
    ...specWarnings(adapter, world),
    ...followed.events,
    ...jobWarnings(outcome.warnings, told, 'FollowJob'),
  ];
}

interface News {
  readonly gang: GangStart;
  readonly wanted: readonly ReplicaPod[];
  readonly stuck: ReturnType<typeof stuckPods>;
  readonly peers: ReturnType<typeof waitingPeers>;
  readonly followed: ReturnType<typeof followProgress>;
  readonly outcome: Outcome;
}

/** The change of the status, and for how long its write is held back: 0 when it is written now. */
function planStatus(
  { job: { status }, world }: JobPassContext,
  next: JobStatus,
  { inherited, causes }: RestartAccount,
  replicas: readonly ReplicaPod[],
): { readonly holdMs: number; readonly decided: StatusDecision } {
  const sinceMs = isUnwritten(next, world) ? (world.unwrittenSinceMs ?? world.nowMs) : world.nowMs;
  const heldBackSinceMs = world.heldBackSinceMs ?? world.nowMs;
  const change = { before: status, after: next, sinceMs, heldBackSinceMs, isStarting: !replicas.every(hasRun) };
  const holdMs = holdBackMs(change, world.statusWritten, world.nowMs);
  const after = holdMs > 0 ? status : next;
  const before = { ...status, restartCount: (status.restartCount ?? 0) + inherited };
  // Nothing is recreated once the job has ended.
  const restartCauses = isFinished(next) ? causes.inPlace : [...causes.recreated, ...causes.inPlace];
  const decided = {
    ...{ before, after },
    restartCauses: holdMs > 0 ? [] : restartCauses,
    latencies: isFinished(next) ? [] : startLatencies(status, after, replicas),
    ...(holdMs > 0 && { unwritten: unwrittenOf(next) }),
  };
  return { holdMs, decided };
}

/** The replicas as they are, and what is left of them when all of a group are recreated. */
interface Replicas {
  readonly before: JobReplicas;
  readonly anew: ReturnType<typeof restartedTogether>;
}

/** Whether an earlier pass has found the same, and held it back. */
function isUnwritten(next: JobStatus, { unwritten }: World): boolean {
  return unwritten !== undefined && mergePatch(unwritten, unwrittenOf(next)) === undefined;
}

function unwrittenOf({ replicaStatuses, ready, allRunningTime, restarts }: JobStatus): UnwrittenStatus {
  return {
    ...(replicaStatuses && { replicaStatuses }),
    ...(ready !== undefined && { ready }),
    ...(allRunningTime !== undefined && { allRunningTime }),
    ...(restarts && { restarts }),
  };
}

function nextStatus(
  { adapter, job, world, elastic }: JobPassContext,
  outcome: Outcome,
  { before, anew }: Replicas,
  account: RestartAccount,
): JobStatus {
  const { manifest, unwritten, nowMs } = world;
  const { restartCount, disruptionCount, restarts } = account;
  const startTime = job.status.startTime ?? timestamp(nowMs);
  const kept = keptFailures(adapter, job, before, nowMs);
  const started = { ...job, status: { ...job.status, startTime, ...kept } };
  const news = newCondition(started, outcome, before.wanted, account, nowMs);
  const created = withCreated(job, job.status.conditions ?? [], nowMs);
  const conditions = news === undefined ? created : withCondition(created, news, nowMs);
  // Nothing is recreated once the job has ended.
  const isEnd = isFinished({ conditions });
  const of = isEnd ? job : anew.job;
  const replicas = isEnd ? before.wanted : anew.replicas.wanted;
  const { firstFailure: _first, ...onRecord } = of.status;
  const next = {
    ...onRecord,
    startTime,
    conditions,
    replicaStatuses: replicaStatuses(adapter, of, replicas, isEnd),
    ready: readyCount(replicas),
    ...allRunningSince({ ...unwritten, ...started.status }, replicas, nowMs),
    ...(elastic && { elastic: elastic.status }),
    ...kept,
    observedGeneration: generationOf(manifest),
  };
  if (isEnd)
    return completed({ ...lastCounts(job, next, replicas), restartCount: restartCount - account.begun }, nowMs);
  return completed(
    {
      ...next,
      restartCount,
      ...((disruptionCount > 0 || next.disruptionCount !== undefined) && { disruptionCount }),
      ...((restarts.length > 0 || next.restarts !== undefined) && { restarts }),
    },
    nowMs,
  );
}

/** What there is to say now. An end that the replicas have reached comes before a limit that was reached meanwhile. */
function newCondition(
  job: TrainingJob,
  outcome: Outcome,
  replicas: readonly ReplicaPod[],
  account: RestartAccount,
  nowMs: number,
): NewCondition | undefined {
  const condition = (type: 'Running' | 'Restarting' | 'Succeeded' | 'Failed', message: string, isNews = false) => ({
    type,
    reason: reasonOf(job.resource.kind, type),
    message,
    isNews,
  });
  const end = endOnRecord(job.status);
  if (end !== undefined) {
    return condition(
      end,
      `${job.resource.kind} ${job.metadata.name} has ended; the condition that said why was removed.`,
    );
  }
  if (outcome.phase === 'Succeeded') return condition('Succeeded', outcome.message);
  const ended = endedByPolicy(replicas);
  if (ended.length > 0) return { ...condition('Failed', endByPolicy(job, ended)), reason: FAILURE_POLICY };
  const restarting = [
    ...account.groups.flatMap(({ failed }) => failed),
    ...account.pending.map(({ replica }) => replica).filter(({ state }) => state === 'failed'),
    ...account.lost,
  ];
  if (outcome.phase === 'Failed') {
    const failed = replicas.filter((each) => each.state === 'failed' && !restarting.some((r) => isSame(r, each)));
    const told = condition('Failed', outcome.message + causeOf(job, failed) + lossAdvice(failed));
    return outcome.reason === undefined ? told : { ...told, reason: outcome.reason };
  }
  if (outcome.phase === 'Restarting') return condition('Restarting', outcome.message, true);
  const limit = reachedLimit(job, account.restartCount, nowMs);
  if (limit !== undefined) {
    const inPlace = replicas.filter(
      ({ pod, role }) => pod !== undefined && containerRestarts(pod, role.containerName) > 0,
    );
    const cause = because(restarting.length > 0 ? restarting : inPlace);
    return condition('Failed', cause === '' ? limit : `${limit}.${cause}`);
  }
  const [first] = restarting;
  if (first !== undefined) {
    const [group] = account.groups;
    const all = group === undefined ? '' : allOf(group);
    const rule = first.policyRule === undefined ? '' : `, by rule ${first.policyRule.name} of its failure policy`;
    const what = `job ${job.metadata.name} is restarting${all} because ${first.role.name} replica(s) failed${rule}.`;
    const isNews = group !== undefined || account.pending.some(({ isNew }) => isNew);
    const cause = causeOf(job, group?.failed ?? restarting);
    return condition('Restarting', `${what}${cause}${waits(account, nowMs)}`, isNews);
  }
  if (outcome.phase === 'Pending' || isStillRestarting(job, replicas, account)) return undefined;
  const told = job.status.conditions?.find(({ type }) => type === 'Running')?.message;
  const tellsOfChange = [told, outcome.message].some((message) => message?.startsWith(UNAPPLIED));
  return condition('Running', outcome.message, tellsOfChange && told !== outcome.message);
}

function endByPolicy(job: TrainingJob, ended: readonly ReplicaPod[]): string {
  const { name, role } = { ...ended[0]!.policyRule!, role: ended[0]!.role.name };
  const what = `job ${job.metadata.name} has failed because ${role} replica(s) failed, by rule ${name} of its failure policy.`;
  return what + causeOf(job, ended);
}

function isSame(a: ReplicaPod, b: ReplicaPod): boolean {
  return a.role === b.role && a.index === b.index;
}

/** What is restarted as one, and how often it has been then. */
function allOf({ role, attempt, inPlace }: GroupRestart): string {
  const how = inPlace.size === 0 ? '' : `, ${inPlace.size} of them in place`;
  return ` all pods of ${role === undefined ? 'the job' : `role ${role.name}`} (attempt ${attempt}${how})`;
}

/** A restart is over when every replica that was recreated is there again, not when some replica happens to run. */
function isStillRestarting(
  { status }: TrainingJob,
  replicas: readonly ReplicaPod[],
  { records, restarts }: RestartAccount,
): boolean {
  if (!hasCondition(status.conditions, 'Restarting')) return false;
  if (restarts.some(({ scope, replaced }) => scope !== undefined && replaced === true)) return true;
  return replicas
    .filter(({ role, index }) => records.get(placeKey({ role, index }))?.replaced === true)
    .some((replica) => !hasRun(replica));
}

/** Of pods that are being deleted only that is known, unless the cluster says that it does so. */
function causeOf(job: TrainingJob, failed: readonly ReplicaPod[]): string {
  const { message } = job.status.progress ?? {};
  if (message !== undefined && failed.some(({ policyRule }) => policyRule?.onNoProgress === true))
    return ` First: ${message}`;
  const { firstFailure } = job.status;
  if (firstFailure?.class === 'Deleted' && podsOf(failed).some(fellWithPeer)) return ` First: ${firstFailure.message}`;
  const tells = (each: ReplicaPod) =>
    !isGoing(each) || (each.pod !== undefined && disruptionOf(each.pod) !== undefined);
  return because(failed.filter(tells)) || deletionCause(job, failed);
}

function because(failed: readonly ReplicaPod[]): string {
  const first = firstFailed(podsOf(failed));
  const role = failed.find(({ pod }) => pod === first)?.role;
  return first === undefined || role === undefined ? '' : ` First: ${failureCause(first, role.containerName)}`;
}

function podsOf(replicas: readonly ReplicaPod[]): Pod[] {
  return replicas.flatMap(({ pod }) => pod ?? []);
}

/** Says of what has to wait, because it failed several times in a row or by the failure policy, when it is tried again. */
function waits({ groups, pending }: RestartAccount, nowMs: number): string {
  const waiting = [
    ...groups.map(({ role, failures }) => ({
      what: role === undefined ? 'the job' : `role ${role.name}`,
      dueMs: dueAtMs(failures, nowMs),
      failures: failures.failures,
    })),
    ...pending.map(({ replica, dueMs, failures }) => ({ what: replica.pod.metadata?.name, dueMs, failures })),
  ];
  const [next] = waiting.filter(({ dueMs }) => dueMs > nowMs).toSorted((a, b) => a.dueMs - b.dueMs);
  if (next === undefined) return '';
  const often = next.failures === 1 ? '' : ` failed ${next.failures} times in a row and`;
  return `; ${next.what}${often} is tried again at ${timestamp(next.dueMs)}`;
}
