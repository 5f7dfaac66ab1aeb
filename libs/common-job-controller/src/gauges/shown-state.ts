/**
 * The state of a job as metrics show it: that of its status, or Failing. A pod in a crash loop has the phase Running, and the state of its job
 * is Running as well, so the status alone does not distinguish such a job from one that is well.
 */
import type { FailureClass, JobStatus } from '@muster/job-api';
import { momentOf } from '../model/moment-of.ts';
import { dueAtMs } from '../restarts/restart-backoff.ts';
import { readyPods } from './ready-pods.ts';
import { readable, readSeen, stateOf, type JobState, type SeenJob } from './seen-jobs.ts';

/** States of a status that a job can be in while it keeps failing. */
const MAY_FAIL: ReadonlySet<JobState> = new Set<JobState>(['Created', 'Running', 'Restarting']);

export function shownState(job: SeenJob, nowMs: number): JobState {
  const state = stateOf(job);
  return MAY_FAIL.has(state) && readable(() => isFailing(job, state, nowMs), false) ? 'Failing' : state;
}

function isFailing(job: SeenJob, state: JobState, nowMs: number): boolean {
  const { status } = job;
  if (isCrashLooping(status) || isBackingOff(status, nowMs) || hasFailedTwice(status, nowMs)) return true;
  const { restartCount = 0 } = status;
  return state === 'Running' && restartCount > 0 && !isReady(job);
}

/** What the job does by itself, or nobody knows who did it. */
const OF_PROGRAM: ReadonlySet<FailureClass> = new Set<FailureClass>(['Program', 'OutOfMemory', 'Cascade']);

/** As long as the longest pause between two restarts, and again as long for the attempt. */
const RECENT_MS = 600_000;

/** Whether the job has failed twice within ten minutes. Between two failures it runs, and may be ready, for a moment. */
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

/** By its condition: between two pauses its containers run for a moment. */
export function isCrashLooping({ conditions = [] }: JobStatus): boolean {
  return conditions.some(
    ({ type, status, reason }) => type === 'Waiting' && status === 'True' && reason === 'CrashLoop',
  );
}

/** Whether a replica that failed several times in a row waits for its next attempt. */
export function isBackingOff({ restarts = [] }: JobStatus, nowMs: number): boolean {
  return restarts.some((group) => dueAtMs(group, nowMs) > nowMs);
}

/** Whether all replicas are ready or have succeeded. A job that cannot be read counts as ready: nothing is known of it. */
function isReady(job: SeenJob): boolean {
  const read = readSeen(job);
  if (read === undefined) return true;
  return readyPods(job, read).every(({ role, ready }) => {
    const { succeeded = 0 } = job.status.replicaStatuses?.[role.name] ?? {};
    return !(ready + succeeded < role.replicas);
  });
}
