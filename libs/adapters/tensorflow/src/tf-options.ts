import type { ReplicaRole, TrainingJob } from '@muster/common-job-controller';

export interface TFOptions {
  /** The number of workers may change: each has only itself and the parameter servers in its configuration. */
  readonly isDynamic: boolean;
  /** Without a chief, all workers have to succeed, not only the first. */
  readonly needsAllWorkers: boolean;
  readonly isEvaluatorInCluster: boolean;
}

export type TFTrainingJob = TrainingJob<TFOptions>;

/** Chief, or Master, its older name. Undefined if the job has neither, or 0 replicas of it. */
export function chiefOf({ roles }: Pick<TFTrainingJob, 'roles'>): ReplicaRole | undefined {
  return roles.find(({ name, replicas }) => (name === 'Chief' || name === 'Master') && replicas > 0);
}

/** The role whose first replica leads the job: the chief's, or the workers'. */
export function leadingRole(job: Pick<TFTrainingJob, 'roles'>): ReplicaRole | undefined {
  return chiefOf(job) ?? job.roles.find(({ name, replicas }) => name === 'Worker' && replicas > 0);
}
