/** What a TFJob says beyond its roles, and what follows from which roles it has. */
import type { ReplicaRole, TrainingJob } from '@muster/common-job-controller';

export interface TFOptions {
  /** Workers come and go: each knows itself and the parameter servers only. */
  readonly isDynamic: boolean;
  /** Without a chief, all workers have to succeed, and not the first alone. */
  readonly needsAllWorkers: boolean;
  readonly isEvaluatorInCluster: boolean;
}

export type TFTrainingJob = TrainingJob<TFOptions>;

/** Chief, or Master, which is its older name. Undefined when the job has neither, or none of them. */
export function chiefOf({ roles }: Pick<TFTrainingJob, 'roles'>): ReplicaRole | undefined {
  return roles.find(({ name, replicas }) => (name === 'Chief' || name === 'Master') && replicas > 0);
}

/** The role whose first replica leads the job: the chief's, or the workers'. */
export function leadingRole(job: Pick<TFTrainingJob, 'roles'>): ReplicaRole | undefined {
  return chiefOf(job) ?? job.roles.find(({ name, replicas }) => name === 'Worker' && replicas > 0);
}
