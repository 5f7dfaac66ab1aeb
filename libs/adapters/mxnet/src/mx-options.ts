import type { ReplicaRole, TrainingJob } from '@muster/common-job-controller';
import type { MXJobMode } from '@muster/job-api';

export interface MXOptions {
  readonly jobMode: MXJobMode;
}

export type MXTrainingJob = TrainingJob<MXOptions>;

/** The role whose success is the job's. Upstream uses the scheduler, which a tuning job does not have. */
export function decidingRole({ roles, options }: Pick<MXTrainingJob, 'roles' | 'options'>): ReplicaRole | undefined {
  const name = options.jobMode === 'MXTune' ? 'Tuner' : 'Worker';
  return roles.find((role) => role.name === name);
}
