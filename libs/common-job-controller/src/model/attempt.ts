/**
 * Which attempt of its job and role an object belongs to. Both are counted in the status, and only ever grow; what is made
 * carries their sum as a label. So what carries less is of an earlier attempt: it counts for nothing, and goes.
 */
import { LABELS, type JobStatus, type KubeObject } from '@muster/job-api';
import type { ReplicaRole, TrainingJob } from './training-job.ts';

type Job = Pick<TrainingJob, 'status'>;
type Role = Pick<ReplicaRole, 'name'>;

export function attemptOfJob({ status }: Job): number {
  return status.attempt ?? 0;
}

export function attemptOfRole({ status }: Job, { name }: Role): number {
  return status.replicaStatuses?.[name]?.attempt ?? 0;
}

/** What the pods of the role carry now. */
export function attemptOf(job: Job, role: Role): number {
  return attemptOfJob(job) + attemptOfRole(job, role);
}

/** What `object` carries. */
export function attemptOn({ metadata }: KubeObject): number {
  const text = metadata?.labels?.[LABELS.attempt] ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}

export function isOutdated(object: KubeObject, job: Job, role: Role): boolean {
  return attemptOn(object) < attemptOf(job, role);
}

/** The label of what is made for the role now: none in the first attempt. */
export function attemptLabel(job: Job, role: Role): Record<string, string> {
  const attempt = attemptOf(job, role);
  return attempt === 0 ? {} : { [LABELS.attempt]: String(attempt) };
}

/** The part of a role's status that must not be lost. */
export function keptAttempt(job: Job, role: Role): Pick<NonNullable<JobStatus['replicaStatuses']>[string], 'attempt'> {
  const attempt = attemptOfRole(job, role);
  return attempt === 0 ? {} : { attempt };
}
