/** A job that may run: where it stands by its replicas, what to restart, and which children it should have. */
import { reasonOf, type JobStatus, type Pod } from '@muster/job-api';
import { statusOf } from '../contract/read-manifest.ts';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { TrainingJob } from '../model/training-job.ts';
import { planChildren, planCleanUp } from './plan-children.ts';
import { hasCondition, isFinished, timestamp, withCondition, type NewCondition } from '../status/conditions.ts';
import { failureCause, firstFailed } from '../restarts/failure-cause.ts';
import { gangStart } from '../gang/gang-start.ts';
import { keptPods } from '../policies/indispensable-pods.ts';
import { ignoredAnnotations, UNAPPLIED, unreportedRefusal } from '../policies/invalid-spec.ts';
import { desiredOwnedResources } from '../owned-resources/job-owned-resources.ts';
import { generationOf } from '../model/job-identity.ts';
import { namedForScaleDown, tallies, type JobReplicas } from '../pods/job-replicas.ts';
import { completed, endOnRecord, lastCounts, readyCount, replicaStatuses, withCreated } from '../status/job-status.ts';
import { deletionCause, isGoing, lossAdvice } from '../restarts/lost-replicas.ts';
import type { Plan } from './plan.ts';
import { endOf } from '../pods/pod-end.ts';
import { podNameOf } from '../model/pod-name.ts';
import { containerRestarts, type ReplicaPod } from '../pods/replica-pods.ts';
import { earliest } from './requeue.ts';
import { restartAccount, type RestartAccount } from '../restarts/restart-account.ts';
import { reachedLimit, remainingActiveMs } from '../policies/run-limits.ts';
import { holdBackMs } from '../status/status-pace.ts';
import { allRunningSince, startLatencies } from '../status/start-latency.ts';
import { stuckPods } from '../pods/stuck-pods.ts';
import { resumed } from '../policies/suspension.ts';
import { statusChange } from '../status/transitions.ts';
import { waitingPods } from '../pods/waiting-pods.ts';
import type { PlanSettings, World } from './world.ts';

export function planActive(
  adapter: FrameworkAdapter,
  stored: TrainingJob,
  world: World,
  settings: PlanSettings,
  replicas: JobReplicas,
): Plan {
  const { nowMs } = world;
  const job = { ...stored, status: resumed(stored, nowMs) };
  const account = restartAccount(job, replicas, nowMs);
  const next = nextStatus(adapter, job, world, replicas.wanted, account);
  const holdMs = holdBackMs(stored.status, next, world.statusWrittenMs, nowMs);
  const shown = holdMs > 0 ? stored.status : next;
  const before = { ...stored.status, restartCount: (stored.status.restartCount ?? 0) + account.inherited };
  const change = statusChange(statusOf(adapter, world.manifest), before, shown);
  const after = { ...job, status: next };
  if (isFinished(next)) return { ...planCleanUp(adapter, after, world, replicas), ...change };

  const due = account.pending.filter(({ dueMs }) => dueMs <= nowMs).map(({ replica }) => replica);
  const gang = gangStart(settings.gang, job, world.ownedResources, world.told);
  const ownedResources = desiredOwnedResources(adapter, job, settings.gang, replicas.wanted, world);
  const children = planChildren(
    adapter,
    job,
    world,
    settings,
    replicas,
    { due, records: account.records },
    gang.mayMakePods,
    ownedResources,
  );
  const waiting = waitingPods(podsOf(replicas.wanted), world.told, settings.gang !== undefined);
  const stuck = stuckPods(world.pods, world.told, nowMs);
  const kept = keptPods(adapter, job, replicas.wanted, { named: namedForScaleDown(job), told: world.told });
  return {
    ...children,
    ...change,
    unwritten: holdMs > 0 ? next.replicaStatuses : undefined,
    validForMs: remainingActiveMs(after, nowMs),
    latencies: startLatencies(stored.status, shown, replicas.wanted),
    events: [
      ...change.events,
      ...unreportedRefusal(world),
      ...gang.events,
      ...stuck.events,
      ...kept,
      ...waiting,
      ...ignoredAnnotations(world),
    ],
    requeueAfterMs: earliest(
      children.requeueAfterMs,
      stuck.requeueAfterMs,
      holdMs > 0 ? holdMs : undefined,
      remainingActiveMs(after, nowMs),
      ...account.pending.map(({ dueMs }) => (dueMs > nowMs ? dueMs - nowMs : undefined)),
    ),
  };
}

function nextStatus(
  adapter: FrameworkAdapter,
  job: TrainingJob,
  world: World,
  replicas: readonly ReplicaPod[],
  account: RestartAccount,
): JobStatus {
  const { manifest, nowMs } = world;
  const { restartCount, disruptionCount, restarts } = account;
  const started = { ...job, status: { ...job.status, startTime: job.status.startTime ?? timestamp(nowMs) } };
  const news = newCondition(adapter, started, replicas, account, world);
  const created = withCreated(job, job.status.conditions ?? [], nowMs);
  const next = {
    ...started.status,
    conditions: news === undefined ? created : withCondition(created, news, nowMs),
    replicaStatuses: replicaStatuses(adapter, job, replicas),
    ready: readyCount(replicas),
    ...allRunningSince(started.status, replicas, nowMs),
    observedGeneration: generationOf(manifest),
  };
  if (isFinished(next))
    return completed({ ...lastCounts(job, next, replicas), restartCount: restartsDone(account) }, nowMs);
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

/** Nothing is restarted once the job has ended. */
function restartsDone({ restartCount, pending }: RestartAccount): number {
  return restartCount - pending.filter(({ isNew, replica }) => isNew && endOf(replica.pod) === 'ProgramFailed').length;
}

/** What there is to say now. An end that the replicas have reached comes before a limit that was reached meanwhile. */
function newCondition(
  adapter: FrameworkAdapter,
  job: TrainingJob,
  replicas: readonly ReplicaPod[],
  account: RestartAccount,
  world: World,
): NewCondition | undefined {
  const { nowMs } = world;
  const outcome = adapter.outcome(job, tallies(job, replicas), world);
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
  const restarting = account.pending.map(({ replica }) => replica);
  if (outcome.phase === 'Failed') {
    const failed = replicas.filter(({ state, pod }) => state === 'failed' && !restarting.some((r) => r.pod === pod));
    const cause = because(failed.filter((each) => !isGoing(each))) || deletionCause(job, failed);
    const told = condition('Failed', outcome.message + cause + lossAdvice(failed));
    return outcome.reason === undefined ? told : { ...told, reason: outcome.reason };
  }
  const limit = reachedLimit(job, account.restartCount, nowMs);
  if (limit !== undefined) {
    const inPlace = replicas.filter(
      ({ pod, role }) => pod !== undefined && containerRestarts(pod, role.containerName) > 0,
    );
    return condition('Failed', limit + because(restarting.length > 0 ? restarting : inPlace));
  }
  const [first] = restarting;
  if (first !== undefined) {
    const what = `job ${job.metadata.name} is restarting because ${first.role.name} replica(s) failed.`;
    const isNews = account.pending.some(({ isNew }) => isNew);
    return condition('Restarting', `${what}${because(restarting)}${waits(account, nowMs)}`, isNews);
  }
  if (outcome.phase === 'Pending' || isStillRestarting(job, replicas, account)) return undefined;
  const told = job.status.conditions?.find(({ type }) => type === 'Running')?.message;
  const tellsOfChange = [told, outcome.message].some((message) => message?.startsWith(UNAPPLIED));
  return condition('Running', outcome.message, tellsOfChange && told !== outcome.message);
}

/** A restart is over when every replica that was recreated is there again, not when some replica happens to run. */
function isStillRestarting(
  { status, metadata }: TrainingJob,
  replicas: readonly ReplicaPod[],
  { records }: RestartAccount,
): boolean {
  if (!hasCondition(status.conditions, 'Restarting')) return false;
  return replicas
    .filter(({ role, index }) => records.get(podNameOf({ metadata }, { role, index }))?.replaced === true)
    .some(({ state }) => state !== 'running' && state !== 'succeeded');
}

function because(failed: readonly ReplicaPod[]): string {
  const first = firstFailed(podsOf(failed));
  const role = failed.find(({ pod }) => pod === first)?.role;
  return first === undefined || role === undefined ? '' : ` First: ${failureCause(first, role.containerName)}`;
}

function podsOf(replicas: readonly ReplicaPod[]): Pod[] {
  return replicas.flatMap(({ pod }) => pod ?? []);
}

/** Says of a replica that has failed several times in a row when it is tried again. */
function waits({ pending }: RestartAccount, nowMs: number): string {
  const waiting = pending.filter(({ dueMs }) => dueMs > nowMs).toSorted((a, b) => a.dueMs - b.dueMs);
  const [next] = waiting;
  if (next === undefined) return '';
  const { metadata } = next.replica.pod;
  return `; ${metadata?.name} failed ${next.failures} times in a row and is tried again at ${timestamp(next.dueMs)}`;
}
