import type { EventReason } from '@muster/job-api';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { TrainingJob } from '../model/training-job.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';
import type { PlannedEvent } from '../model/event.ts';

/** Warns once per change. The change is applied: only the program could tell whether it supports it. */
export function changedSize(
  adapter: Pick<FrameworkAdapter, 'elastic'>,
  job: TrainingJob,
  replicas: readonly ReplicaPod[],
  emitted: ReadonlySet<string>,
): PlannedEvent[] {
  const { state, ready, observedGeneration } = job.status;
  const before = Number(ready?.split('/')[1]);
  if (state !== 'Running' || Number.isNaN(before) || before === replicas.length) return [];
  const why = adapter.elastic?.whyFixed?.(job);
  const reason = 'WorldSizeOutdated' satisfies EventReason;
  const dedupKey = `${reason} ${observedGeneration}`;
  if (why === undefined || emitted.has(dedupKey)) return [];
  const note = `The job runs with ${before} pods, but its spec now requests ${replicas.length}: ${why}.`;
  return [{ type: 'Warning', reason, note, action: 'Scale', dedupKey }];
}
