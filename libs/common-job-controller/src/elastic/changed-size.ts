/** A job that is not elastic, and of which somebody has changed the number of replicas while it runs. */
import type { EventReason } from '@muster/job-api';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { TrainingJob } from '../model/training-job.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';
import type { PlannedEvent } from '../model/event.ts';

/** Warns once of each change. It is followed all the same: nobody but the program knows whether it minds. */
export function changedSize(
  adapter: Pick<FrameworkAdapter, 'elastic'>,
  job: TrainingJob,
  replicas: readonly ReplicaPod[],
  told: ReadonlySet<string>,
): PlannedEvent[] {
  const { state, ready, observedGeneration } = job.status;
  const before = Number(ready?.split('/')[1]);
  if (state !== 'Running' || Number.isNaN(before) || before === replicas.length) return [];
  const why = adapter.elastic?.whyFixed?.(job);
  const reason = 'SizeChangeUntold' satisfies EventReason;
  const dedupKey = `${reason} ${observedGeneration}`;
  if (why === undefined || told.has(dedupKey)) return [];
  const note = `The job runs with ${before} pods, and its spec asks for ${replicas.length} now: ${why}.`;
  return [{ type: 'Warning', reason, note, action: 'Scale', dedupKey }];
}
