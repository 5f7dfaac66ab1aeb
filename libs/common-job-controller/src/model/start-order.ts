/** Which roles wait for which by the job's own `runPolicy.startOrder`. */
import type { StartOrder } from '@muster/job-api';
import type { ReplicaRole, TrainingJob } from './training-job.ts';

/** What the job says of the role, if anything. */
export function orderOf({ runPolicy }: TrainingJob, { name }: ReplicaRole): StartOrder[number] | undefined {
  return runPolicy.startOrder?.find(({ role }) => role === name);
}

/** What it says of a role that is made only when others are so far; one that waits by an init container is made at once. */
export function laterOrderOf(job: TrainingJob, role: ReplicaRole): StartOrder[number] | undefined {
  const order = orderOf(job, role);
  return order?.initContainer === undefined ? order : undefined;
}

/** Whether the role is made later than another: there are pods of that to come, and the job says so itself. */
export function isMadeLater(job: TrainingJob, role: ReplicaRole): boolean {
  const awaited = laterOrderOf(job, role)?.dependsOn ?? [];
  return job.roles.some(({ name, replicas }) => replicas > 0 && awaited.includes(name));
}
