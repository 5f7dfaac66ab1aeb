import type { StartOrder } from '@muster/job-api';
import type { ReplicaRole, TrainingJob } from './training-job.ts';

export function orderOf({ runPolicy }: TrainingJob, { name }: ReplicaRole): StartOrder[number] | undefined {
  return runPolicy.startOrder?.find(({ role }) => role === name);
}

/** The role's entry, unless it waits in an init container: its pods are created at once then. */
export function laterOrderOf(job: TrainingJob, role: ReplicaRole): StartOrder[number] | undefined {
  const order = orderOf(job, role);
  return order?.initContainer === undefined ? order : undefined;
}

export function isStartDelayed(job: TrainingJob, role: ReplicaRole): boolean {
  const awaited = laterOrderOf(job, role)?.dependsOn ?? [];
  return job.roles.some(({ name, replicas }) => replicas > 0 && awaited.includes(name));
}
