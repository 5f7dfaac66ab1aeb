/** Which gang scheduler starts the pods of a job together. */
import type { TrainingJob } from '../model/training-job.ts';
import type { GangScheduler } from './gang-scheduler.ts';

/** What an operator knows of gang schedulers. */
export interface GangSettings {
  /** Undefined: pods are placed as they come. */
  readonly gang?: GangScheduler | undefined;
}

/** Undefined where none does. A group of no pods would wait in its queue for nothing. */
export function gangOf({ roles }: Pick<TrainingJob, 'roles'>, { gang }: GangSettings): GangScheduler | undefined {
  return roles.length === 0 ? undefined : gang;
}
