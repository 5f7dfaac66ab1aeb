import { ANNOTATIONS, type EventReason } from '@muster/job-api';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { Replica, TrainingJob } from '../model/training-job.ts';
import type { PlannedEvent } from '../model/event.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';

export function isIndispensable(adapter: FrameworkAdapter, job: TrainingJob, { role, index }: Replica): boolean {
  const { network, scheduling } = adapter;
  if (scheduling?.isIndispensable !== undefined) return scheduling.isIndispensable(job, { role, index });
  const addressed = network?.addressed(job);
  return addressed?.role === role && addressed.index === index;
}

/** @param named names of pods that are to be deleted first */
export function keptPods(
  adapter: FrameworkAdapter,
  job: TrainingJob,
  replicas: readonly ReplicaPod[],
  { named, emitted }: { readonly named: ReadonlySet<string>; readonly emitted: ReadonlySet<string> },
): PlannedEvent[] {
  if (named.size === 0) return [];
  const reason = 'ScaleDownPodKept' satisfies EventReason;
  return replicas.flatMap(({ pod, ...replica }) => {
    const { name = '', uid } = pod?.metadata ?? {};
    const dedupKey = `${reason} ${uid}`;
    if (!named.has(name) || emitted.has(dedupKey) || !isIndispensable(adapter, job, replica)) return [];
    const by = replica.role.scaleDownFirst?.includes(name) === true ? "the job's spec" : ANNOTATIONS.scaleDownPods;
    const note =
      `Pod ${name} is kept although ${by} names it: the other pods of the job connect to it and cannot continue ` +
      'without it. Another pod is deleted instead: name one of the others.';
    return [{ type: 'Warning', reason, note, action: 'ScaleDown', dedupKey }];
  });
}
