/** Pods that somebody has taken out of their job by changing their labels. */
import type { KubeObject } from '@muster/job-api';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import { ownershipOf } from '../model/ownership.ts';
import type { TrainingJob } from '../model/training-job.ts';

/** Whether the job controls `pod` though its labels name another job, or none: whoever changed them wants it back. */
export function isStray(
  { labels }: Pick<FrameworkAdapter, 'labels'>,
  pod: KubeObject,
  { metadata }: Pick<TrainingJob, 'metadata'>,
): boolean {
  return ownershipOf(pod, metadata.uid) === 'owned' && labels.jobOf(pod.metadata?.labels ?? {}) !== metadata.name;
}
