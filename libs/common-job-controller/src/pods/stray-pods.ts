import type { KubeObject } from '@muster/job-api';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import { ownershipOf } from '../model/ownership.ts';
import type { TrainingJob } from '../model/training-job.ts';

/** The job controls the pod, but its labels name another job or none: someone removed it on purpose. */
export function isReleased(
  { labels }: Pick<FrameworkAdapter, 'labels'>,
  pod: KubeObject,
  { metadata }: Pick<TrainingJob, 'metadata'>,
): boolean {
  return ownershipOf(pod, metadata.uid) === 'owned' && labels.jobOf(pod.metadata?.labels ?? {}) !== metadata.name;
}
