/** The status alone does not show a crash loop: the pod has the phase Running, and its job the state Running. */
import { type ConditionType, type FailureClass, type JobStatus, momentOf } from '@muster/job-api';
import { dueAtMs } from '../restarts/restart-backoff.ts';
import { readable, readSeen, readyPods, jobStateOf, type JobState, type SeenJob } from './seen-jobs.ts';

const MAY_FAIL: ReadonlySet<JobState> = new Set<JobState>(['Created', 'Running', 'Restarting']);

export function shownState(job: SeenJob, nowMs: number): JobState {
  const state = jobStateOf(job);
  return MAY_FAIL.has(state) && readable(() => isFailing(job, state, nowMs), false) ? 'Failing' : state;
}

function isFailing(job: SeenJob, state: JobState, nowMs: number): boolean {
  const { status } = job;
  if (isCrashLooping(status) || isBackingOff(status, nowMs) || hasFailedTwice(status, nowMs)) return true;
  const { restartCount = 0 } = status;
  return state === 'Running' && restartCount > 0 && !isReady(job);
}

/** Caused by the job itself, or of unknown cause. */
const OF_PROGRAM: ReadonlySet<FailureClass> = new Set<FailureClass>(['Program', 'OutOfMemory', 'Cascade']);

/** The longest back-off between two restarts (5 minutes), plus as much for the attempt. */
const RECENT_MS = 600_000;

/** Detects two failures within ten minutes, between which a job runs and may be ready briefly. */
export function hasFailedTwice(
  { firstFailure, failures = [] }: Pick<JobStatus, 'firstFailure' | 'failures'>,
  nowMs: number,
): boolean {
  const all = firstFailure === undefined ? failures : [...failures, firstFailure];
  const recent = all.filter(({ class: failure, time }) => {
    const atMs = momentOf(time);
    return OF_PROGRAM.has(failure) && atMs !== undefined && nowMs - atMs < RECENT_MS;
  });
  return recent.length >= 2;
}

/** By its condition, because the containers run briefly between two failures. */
export function isCrashLooping(status: JobStatus): boolean {
  return conditionReason(status, 'Waiting') === 'CrashLoop';
}

/** The reason of a condition that holds, otherwise empty. */
export function conditionReason({ conditions = [] }: JobStatus, condition: ConditionType): string {
  return conditions.find(({ type, status }) => type === condition && status === 'True')?.reason ?? '';
}

export function isBackingOff({ restarts = [] }: JobStatus, nowMs: number): boolean {
  return restarts.some((group) => dueAtMs(group, nowMs) > nowMs);
}

/** Unreadable jobs count as ready. */
function isReady(job: SeenJob): boolean {
  const read = readSeen(job);
  if (read === undefined) return true;
  return readyPods(job, read).every(({ role, ready }) => {
    const { succeeded = 0 } = job.status.replicaStatuses?.[role.name] ?? {};
    return !(ready + succeeded < role.replicas);
  });
}
