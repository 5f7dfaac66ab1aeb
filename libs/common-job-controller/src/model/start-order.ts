/** The start order of roles from the job's `runPolicy.startOrder`. */
import type { StartOrder } from '@muster/job-api';
import type { ReplicaRole, TrainingJob } from './training-job.ts';

/** The role's entry, if there is one. */
export function orderOf({ runPolicy }: TrainingJob, { name }: ReplicaRole): StartOrder[number] | undefined {
  return runPolicy.startOrder?.find(({ role }) => role === name);
}

/** The role's entry if its pods are created later. A role that waits in an init container has its pods created at once. */
export function laterOrderOf(job: TrainingJob, role: ReplicaRole): StartOrder[number] | undefined {
  const order = orderOf(job, role);
  return order?.initContainer === undefined ? order : undefined;
}

/** Whether the job's start order delays the role until another role with replicas has started. */
export function isMadeLater(job: TrainingJob, role: ReplicaRole): boolean {
  const awaited = laterOrderOf(job, role)?.dependsOn ?? [];
  return job.roles.some(({ name, replicas }) => replicas > 0 && awaited.includes(name));
}
