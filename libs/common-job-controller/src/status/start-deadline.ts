/** Whether a job has met its start deadline. Recorded in the status: replicas that are lost later do not end the job. */
import { type JobStatus, momentOf, timestamp } from '@muster/job-api';
import type { ElasticRole } from '../contract/facets.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';
import type { TrainingJob } from '../model/training-job.ts';
import { hasRun } from '../model/replica-pod.ts';

/** @param elastic the elastic role of an elastic job */
export function startDeadlineMet(
  { runPolicy, status }: TrainingJob,
  replicas: readonly ReplicaPod[],
  elastic: ElasticRole | undefined,
  nowMs: number,
): Pick<JobStatus, 'minimumRunningTime'> {
  const { minimumRunningTime, allRunningTime } = status;
  if (minimumRunningTime !== undefined) return { minimumRunningTime };
  if (runPolicy.startDeadlineSeconds === undefined || allRunningTime !== undefined) return {};
  const isMet = areEnough(replicas, elastic) || haveRunTogether(replicas);
  return isMet ? { minimumRunningTime: timestamp(nowMs) } : {};
}

function areEnough(replicas: readonly ReplicaPod[], elastic: ElasticRole | undefined): boolean {
  const isElastic = ({ role }: ReplicaPod) => role.name === elastic?.role;
  const members = replicas.filter(isElastic);
  const least = Math.min(elastic?.least ?? 0, members.length);
  return replicas.every((each) => isElastic(each) || hasRun(each)) && members.filter(hasRun).length >= least;
}

/** Whether those that have failed still ran when the last one started. After their replacement it would be unknown. */
function haveRunTogether(replicas: readonly ReplicaPod[]): boolean {
  const runs = replicas.flatMap((replica) => runOf(replica) ?? []);
  const lastStartMs = runs.reduce((lastMs, { startMs }) => Math.max(lastMs, startMs), -Infinity);
  return runs.length === replicas.length && runs.every(({ endMs }) => endMs >= lastStartMs);
}

/** When the main container ran, by the node's clock. Undefined if it has not started, or if that is unknown. */
function runOf({ state, pod, role }: ReplicaPod): { readonly startMs: number; readonly endMs: number } | undefined {
  if (state === 'succeeded') return { startMs: -Infinity, endMs: Infinity };
  if (state !== 'running' && state !== 'failed') return undefined;
  const own = pod?.status?.containerStatuses?.find(({ name }) => name === role.containerName)?.state;
  const startMs = momentOf((own?.terminated ?? own?.running)?.startedAt);
  const endMs = state === 'running' ? Infinity : momentOf(own?.terminated?.finishedAt);
  return startMs === undefined || endMs === undefined ? undefined : { startMs, endMs };
}
