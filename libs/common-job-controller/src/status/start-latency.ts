/** When the replicas ran. Recorded in the status, so that each start is measured once and limited by its deadline. */
import type { JobStatus } from '@muster/job-api';
import { hasCondition, timestamp } from '../model/conditions.ts';
import { momentOf } from '../model/moment-of.ts';
import type { ElasticRole } from '../contract/facets.ts';
import type { StartLatency } from '../model/status-write.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';

/**
 * Succeeded replicas count as running.
 *
 * @param elastic the elastic role of an elastic job
 */
export function runningTimes(
  { allRunningTime, minimumRunningTime }: JobStatus,
  replicas: readonly ReplicaPod[],
  elastic: ElasticRole | undefined,
  nowMs: number,
): Pick<JobStatus, 'allRunningTime' | 'minimumRunningTime'> {
  const all = allRunningTime ?? togetherSince(replicas, nowMs);
  const isEnough = elastic !== undefined && areEnough(replicas, elastic);
  const least = minimumRunningTime ?? (isEnough ? timestamp(nowMs) : undefined);
  return {
    ...(all !== undefined && { allRunningTime: all }),
    ...(least !== undefined && { minimumRunningTime: least }),
  };
}

function areEnough(replicas: readonly ReplicaPod[], { role: name, least }: ElasticRole): boolean {
  const members = replicas.filter(({ role }) => role.name === name);
  const others = replicas.filter(({ role }) => role.name !== name);
  return members.length > 0 && members.filter(hasRun).length >= Math.min(least, members.length) && others.every(hasRun);
}

/** Also if some have failed since, for example while no operator ran: after their replacement it would be unknown. */
function togetherSince(replicas: readonly ReplicaPod[], nowMs: number): string | undefined {
  if (replicas.length === 0) return undefined;
  if (replicas.every(hasRun)) return timestamp(nowMs);
  const runs = replicas.flatMap((replica) => runOf(replica) ?? []);
  const lastStartMs = Math.max(...runs.map(({ startMs }) => startMs));
  const areTogether = runs.length === replicas.length && runs.every(({ endMs }) => endMs >= lastStartMs);
  return areTogether ? timestamp(Math.min(lastStartMs, nowMs)) : undefined;
}

/** When the main container ran, in whole seconds of the node's clock. Undefined if it has not started, or if that is unknown. */
function runOf({ state, pod, role }: ReplicaPod): { readonly startMs: number; readonly endMs: number } | undefined {
  if (state === 'succeeded') return { startMs: -Infinity, endMs: Infinity };
  if (state !== 'running' && state !== 'failed') return undefined;
  const own = pod?.status?.containerStatuses?.find(({ name }) => name === role.containerName)?.state;
  const startMs = momentOf((own?.terminated ?? own?.running)?.startedAt);
  const endMs = state === 'running' ? Infinity : momentOf(own?.terminated?.finishedAt);
  return startMs === undefined || endMs === undefined ? undefined : { startMs, endMs };
}

export function hasRun({ state }: ReplicaPod): boolean {
  return state === 'running' || state === 'succeeded';
}

/** Times have a resolution of one second. */
export function startLatencies(
  before: JobStatus,
  after: JobStatus,
  replicas: readonly ReplicaPod[],
): readonly StartLatency[] {
  const startMs = momentOf(after.startTime);
  const runningMs = momentOf(after.allRunningTime);
  if (before.allRunningTime !== undefined || startMs === undefined || runningMs === undefined) return [];
  // The start of a job that another operator started is unknown.
  if (before.state === undefined && hasCondition(before.conditions, 'Running')) return [];
  const created = replicas.map(({ pod }) => momentOf(pod?.metadata?.creationTimestamp) ?? startMs);
  const seconds = (momentMs: number) => Math.max(0, (momentMs - startMs) / 1000);
  return [
    { stage: 'pods_created', seconds: seconds(Math.max(...created)) },
    { stage: 'running', seconds: seconds(runningMs) },
  ];
}
