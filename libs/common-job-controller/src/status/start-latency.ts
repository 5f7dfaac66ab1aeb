/** Recorded in the status, so that each start is measured once. */
import { hasCondition, type JobStatus, momentOf, timestamp } from '@muster/job-api';
import type { StartLatency } from '../model/status-write.ts';
import { hasRun, type ReplicaPod } from '../model/replica-pod.ts';

export function allRunningSince(
  { allRunningTime }: JobStatus,
  replicas: readonly ReplicaPod[],
  nowMs: number,
): Pick<JobStatus, 'allRunningTime'> {
  if (allRunningTime !== undefined) return { allRunningTime };
  return replicas.every(hasRun) && replicas.length > 0 ? { allRunningTime: timestamp(nowMs) } : {};
}

/** Times have a resolution of one second. */
export function startLatencies(before: JobStatus, after: JobStatus, replicas: readonly ReplicaPod[]): StartLatency[] {
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
