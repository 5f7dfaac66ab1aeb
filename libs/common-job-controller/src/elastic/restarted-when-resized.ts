/**
 * Recreates all pods of an elastic job whose program cannot change its size while it runs. The attempt and the new size are in one status
 * write, so a killed operator neither loses nor repeats the restart.
 */
import type { Outcome } from '../contract/adapter.ts';
import type { TrainingJob } from '../model/training-job.ts';
import type { JobPlanContext } from '../world/plan-context.ts';

/** @param job with the status of the last run */
export function restartedWhenResized(
  { adapter, elastic, replicas }: Pick<JobPlanContext, 'adapter' | 'elastic' | 'replicas'>,
  job: TrainingJob,
  outcome: Outcome,
): Outcome {
  if (outcome.phase === 'Succeeded' || outcome.phase === 'Failed') return outcome;
  const role = adapter.elastic?.workers?.(job);
  const before = job.status.elastic?.granted;
  const size = elastic?.size;
  if (role?.restartsWhenResized !== true || before === undefined || size === undefined || before === size)
    return outcome;
  if (!replicas.wanted.some(({ pod }) => pod !== undefined)) return outcome;
  const message = `job ${job.metadata.name} is restarting all pods to run with ${size} replicas of ${role.role} instead of ${before}.`;
  return { phase: 'Restarting', message, isCounted: false };
}
