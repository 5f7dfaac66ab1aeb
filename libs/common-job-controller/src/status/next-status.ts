import {
  FAILURE_POLICY,
  hasCondition,
  isFinished,
  type JobStatus,
  reasonOf,
  START_DEADLINE_EXCEEDED,
  timestamp,
} from '@muster/job-api';
import type { Outcome } from '../contract/adapter.ts';
import { failedWithPeer, firstFailedReplica } from '../failures/first-failure.ts';
import { keptFailures } from '../failures/kept-failures.ts';
import { generationOf } from '../model/job-identity.ts';
import { placeKey } from '../model/replica-hosts.ts';
import type { TrainingJob } from '../model/training-job.ts';
import { hasRun, type JobReplicas, type ReplicaPod } from '../model/replica-pod.ts';
import { disruptionOf } from '../pods/pod-end.ts';
import { containerRestarts } from '../pods/replica-pods.ts';
import { UNAPPLIED, isBesideState, withCondition, type NewCondition } from '../model/conditions.ts';
import { completed, endOnRecord } from './job-state.ts';
import { lastCounts, readyCount, replicaStatuses, withCreated } from './job-status.ts';
import { reachedLimit, type ReachedLimit } from './run-limits.ts';
import type { JobPlanContext } from '../world/plan-context.ts';
import { failureCause } from '../failures/failure-cause.ts';
import type { GroupRestart, restartedTogether } from '../restarts/group-restart.ts';
import { endedByPolicy } from '../restarts/with-failure-policy.ts';
import { deletionCause, isGoneOrTerminating, lossAdvice } from '../failures/lost-replicas.ts';
import type { RestartAccount } from '../restarts/restart-account.ts';
import { dueAtMs } from '../restarts/restart-backoff.ts';
import { startDeadlineMet } from './start-deadline.ts';
import { allRunningSince } from './start-latency.ts';

interface Replicas {
  readonly before: JobReplicas;
  readonly restarted: ReturnType<typeof restartedTogether>;
}

export function nextStatus(
  { adapter, job, world, elastic, unapplied }: JobPlanContext,
  outcome: Outcome,
  { before, restarted }: Replicas,
  account: RestartAccount,
): JobStatus {
  const { nowMs } = world;
  const { restartCount, disruptionCount, restarts } = account;
  const generation = generationOf(world.manifest);
  const { startTime = timestamp(nowMs), observedGeneration = generation } = job.status;
  const kept = keptFailures(adapter, job, before, world);
  const met = startDeadlineMet(job, before.wanted, adapter.elastic?.workers?.(job), nowMs);
  const started = { ...job, status: { ...job.status, startTime, ...kept, ...met } };
  const news = newCondition(started, outcome, before.wanted, account, nowMs);
  const created = withCreated(job, job.status.conditions ?? [], nowMs);
  const conditions = news === undefined ? created : withCondition(created, news, nowMs);
  const isEnd = isFinished({ conditions });
  const nextJob = isEnd ? job : restarted.job;
  const replicas = isEnd ? before.wanted : restarted.replicas.wanted;
  const { firstFailure: _first, ...onRecord } = nextJob.status;
  const next = {
    ...onRecord,
    startTime,
    conditions,
    replicaStatuses: replicaStatuses(adapter, nextJob, replicas, isEnd),
    ready: readyCount(replicas),
    ...allRunningSince(started.status, replicas, nowMs),
    ...met,
    ...(elastic && { elastic: elastic.status }),
    ...kept,
    observedGeneration: unapplied === undefined ? generation : observedGeneration,
  };
  if (isEnd) {
    // Nothing of an ended job is recreated.
    return completed({ ...lastCounts(job, next, replicas), restartCount: restartCount - account.newFailures }, nowMs);
  }
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

/** An end reached by the replicas takes precedence over a limit. */
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
    const what = `${job.resource.kind} ${job.metadata.name} has ended`;
    return condition(end, `${what}; the condition with the cause was removed.`);
  }
  if (outcome.phase === 'Succeeded') return condition('Succeeded', outcome.message);
  const ended = endedByPolicy(replicas);
  if (ended.length > 0) return { ...condition('Failed', policyMessage(job, ended)), reason: FAILURE_POLICY };
  const restarting = [
    ...account.groups.flatMap(({ failed }) => failed),
    ...account.pending.map(({ replica }) => replica).filter(({ state }) => state === 'failed'),
    ...account.lost,
  ];
  if (outcome.phase === 'Failed') {
    const places = new Set(restarting.map(placeKey));
    const failed = replicas.filter((each) => each.state === 'failed' && !places.has(placeKey(each)));
    const next = condition('Failed', outcome.message + causeText(job, failed) + lossAdvice(failed));
    return outcome.reason === undefined ? next : { ...next, reason: outcome.reason };
  }
  if (outcome.phase === 'Restarting') return condition('Restarting', outcome.message, true);
  const limit = reachedLimit(job, account.restartCount, nowMs);
  if (limit !== undefined) return { ...condition('Failed', ''), ...conditionOfLimit(job, limit, replicas, restarting) };
  const [first] = restarting;
  if (first !== undefined) {
    const [group] = account.groups;
    const all = group === undefined ? '' : restartedPods(group);
    const rule = first.policyRule === undefined ? '' : `, by rule ${first.policyRule.name} of its failure policy`;
    const what = `job ${job.metadata.name} is restarting${all} because ${first.role.name} replica(s) failed${rule}.`;
    const isNews = group !== undefined || account.pending.some(({ isNew }) => isNew);
    const cause = causeText(job, group?.failed ?? restarting);
    return condition('Restarting', `${what}${cause}${nextRestartText(account, nowMs)}`, isNews);
  }
  if (outcome.phase === 'Pending' || isStillRestarting(job, replicas, account)) return undefined;
  const before = job.status.conditions?.find(({ type }) => type === 'Running')?.message;
  const isUnapplied = [before, outcome.message].some((message) => message?.startsWith(UNAPPLIED));
  return condition('Running', outcome.message, isUnapplied && before !== outcome.message);
}

function conditionOfLimit(
  { status: { conditions = [] } }: TrainingJob,
  limit: ReachedLimit,
  replicas: readonly ReplicaPod[],
  restarting: readonly ReplicaPod[],
): ReachedLimit {
  const inPlace = replicas.filter(
    ({ pod, role }) => pod !== undefined && containerRestarts(pod, role.containerName) > 0,
  );
  const failure = firstFailureText(restarting.length > 0 ? restarting : inPlace);
  if (limit.reason !== START_DEADLINE_EXCEEDED)
    return { message: failure === '' ? limit.message : `${limit.message}.${failure}` };
  const obstacle = conditions.find((each) => isBesideState(each) && each.status === 'True');
  const why = obstacle === undefined ? failure : ` ${obstacle.reason}: ${obstacle.message}`;
  return { ...limit, message: `${limit.message}: ${replicas.filter(hasRun).length} of ${replicas.length} run.${why}` };
}

function policyMessage(job: TrainingJob, ended: readonly ReplicaPod[]): string {
  const { role, policyRule } = ended[0]!;
  const what = `job ${job.metadata.name} has failed because ${role.name} replica(s) failed`;
  return `${what}, by rule ${policyRule?.name} of its failure policy.${causeText(job, ended)}`;
}

function restartedPods({ role, attempt, inPlace }: GroupRestart): string {
  const how = inPlace.size === 0 ? '' : `, ${inPlace.size} of them in place`;
  return ` all pods of ${role === undefined ? 'the job' : `role ${role.name}`} (attempt ${attempt}${how})`;
}

function isStillRestarting(
  { status }: TrainingJob,
  replicas: readonly ReplicaPod[],
  { records, restarts }: RestartAccount,
): boolean {
  if (!hasCondition(status.conditions, 'Restarting')) return false;
  if (restarts.some(({ scope, replaced }) => scope !== undefined && replaced === true)) return true;
  return replicas.some((replica) => records.get(placeKey(replica))?.replaced === true && !hasRun(replica));
}

/** Terminating pods are not a cause, unless the cluster disrupted them. */
function causeText(job: TrainingJob, failed: readonly ReplicaPod[]): string {
  const { message } = job.status.progress ?? {};
  if (message !== undefined && failed.some(({ policyRule }) => policyRule?.onNoProgress === true))
    return ` First: ${message}`;
  const { firstFailure } = job.status;
  if (firstFailure?.class === 'Deleted' && failed.some(({ pod }) => pod !== undefined && failedWithPeer(pod)))
    return ` First: ${firstFailure.message}`;
  const isCause = (each: ReplicaPod) =>
    !isGoneOrTerminating(each) || (each.pod !== undefined && disruptionOf(each.pod) !== undefined);
  return firstFailureText(failed.filter(isCause)) || deletionCause(job, failed);
}

function firstFailureText(failed: readonly ReplicaPod[]): string {
  const { pod, role } = firstFailedReplica(failed) ?? {};
  return pod === undefined || role === undefined ? '' : ` First: ${failureCause(pod, role.containerName)}`;
}

function nextRestartText({ groups, pending }: RestartAccount, nowMs: number): string {
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
  return `; ${next.what}${often} is restarted at ${timestamp(next.dueMs)}`;
}
