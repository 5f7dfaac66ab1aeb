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

/** Names of pods to delete first: from the job's annotation, or from its spec. */
export function namedForScaleDown({ metadata, roles }: TrainingJob): Set<string> {
  const names = metadata.annotations?.[ANNOTATIONS.scaleDownPods]?.split(',').map((name) => name.trim()) ?? [];
  // An empty name would match every replica without a pod.
  return new Set([
    ...names.filter((name) => name !== ''),
    ...roles.flatMap(({ scaleDownFirst = [] }) => scaleDownFirst),
  ]);
}

export function keptPods(adapter: FrameworkAdapter, job: TrainingJob, replicas: readonly ReplicaPod[]): PlannedEvent[] {
  const named = namedForScaleDown(job);
  const reason = 'ScaleDownPodKept' satisfies EventReason;
  return replicas.flatMap(({ pod, ...replica }) => {
    const { name = '', uid } = pod?.metadata ?? {};
    if (!named.has(name) || !isIndispensable(adapter, job, replica)) return [];
    const by = replica.role.scaleDownFirst?.includes(name) === true ? "the job's spec" : ANNOTATIONS.scaleDownPods;
    const note =
      `Pod ${name} is kept although ${by} names it: the other pods of the job connect to it and cannot continue ` +
      'without it. Another pod is deleted instead: name one of the others.';
    return [{ type: 'Warning', reason, note, action: 'ScaleDown', dedupKey: `${reason} ${uid}` }];
  });
}
