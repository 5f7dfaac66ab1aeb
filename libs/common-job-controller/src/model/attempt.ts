/** The attempt that an object belongs to: the sum of the job's and the role's, which only grow. Objects of earlier attempts are deleted. */
import { hasCondition, LABELS, momentOf, type JobStatus, type KubeObject } from '@muster/job-api';
import type { ReplicaRole, TrainingJob } from './training-job.ts';

type Job = Pick<TrainingJob, 'status'>;
type Role = Pick<ReplicaRole, 'name'>;

export function attemptOfJob({ status }: Job): number {
  return status.attempt ?? 0;
}

export function attemptOfRole({ status }: Job, { name }: Role): number {
  return status.replicaStatuses?.[name]?.attempt ?? 0;
}

export function attemptOf(job: Job, role: Role): number {
  return attemptOfJob(job) + attemptOfRole(job, role);
}

export function attemptOn({ metadata }: KubeObject): number {
  const text = metadata?.labels?.[LABELS.attempt] ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}

export function isOutdated(object: KubeObject, job: Job, role: Role): boolean {
  return attemptOn(object) < attemptOf(job, role);
}

/** Whether a pod was created since the job started, or since its last resume. A suspended job has no such pods. */
export function isOfThisRun({ metadata }: KubeObject, { status }: Job): boolean {
  if (hasCondition(status.conditions, 'Suspended')) return false;
  return (momentOf(metadata?.creationTimestamp) ?? 0) >= (momentOf(status.startTime) ?? 0);
}

/** The attempt label for new objects of the role. The first attempt has none. */
export function attemptLabel(job: Job, role: Role): Record<string, string> {
  const attempt = attemptOf(job, role);
  return attempt === 0 ? {} : { [LABELS.attempt]: String(attempt) };
}

/** The attempt, which every status write must keep. */
export function keptAttempt(job: Job, role: Role): Pick<NonNullable<JobStatus['replicaStatuses']>[string], 'attempt'> {
  const attempt = attemptOfRole(job, role);
  return attempt === 0 ? {} : { attempt };
}
