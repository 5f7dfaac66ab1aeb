import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { JobContext } from '../model/job-context.ts';
import type { RoleTally, TrainingJob } from '../model/training-job.ts';
import { endedByPolicy } from '../restarts/with-failure-policy.ts';
import { tallies } from '../replicas/job-replicas.ts';
import type { JobReplicas } from '../model/replica-pod.ts';

export function failedRole(tallies: readonly RoleTally[]): RoleTally | undefined {
  return tallies.find(({ failed }) => failed > 0);
}

export function hasReachedEnd(
  adapter: FrameworkAdapter,
  job: TrainingJob,
  { wanted }: JobReplicas,
  context: JobContext,
): boolean {
  const { phase } = adapter.outcome(job, tallies(job, wanted), context);
  return phase === 'Succeeded' || phase === 'Failed' || endedByPolicy(wanted).length > 0;
}
