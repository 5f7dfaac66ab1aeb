/** Which roles wait for which by the job's own `runPolicy.startOrder`. */
import type { StartOrder } from '@muster/job-api';
import type { ReplicaRole, TrainingJob } from './training-job.ts';

/** What the job says of the role, if anything. */
export function orderOf({ runPolicy }: TrainingJob, { name }: ReplicaRole): StartOrder[number] | undefined {
  return runPolicy.startOrder?.find(({ role }) => role === name);
}

/** Whether the role waits for pods of another: there are some to come, and the job says so itself. */
export function isOrdered(job: TrainingJob, role: ReplicaRole): boolean {
  const awaited = orderOf(job, role)?.dependsOn ?? [];
  return job.roles.some(({ name, replicas }) => replicas > 0 && awaited.includes(name));
}
