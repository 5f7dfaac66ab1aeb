import type { KubeObject } from '@muster/job-api';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { TrainingJob } from '../model/training-job.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';
import type { JobContext } from '../model/job-context.ts';
import type { DesiredResource } from '../model/owned-resources.ts';
import { ownerReference } from '../model/ownership.ts';

export function frameworkOwnedResources(
  adapter: FrameworkAdapter,
  job: TrainingJob,
  replicas: readonly ReplicaPod[],
  context: JobContext,
): DesiredResource[] {
  const desired = adapter.ownedResources?.desired(job, replicas, context) ?? [];
  return desired.map((each) => asOwned(adapter, job, each));
}

export function asOwned(adapter: FrameworkAdapter, job: TrainingJob, desired: DesiredResource): DesiredResource {
  return { ...desired, object: asChild(adapter, job, desired.object) };
}

export function asChild(adapter: FrameworkAdapter, job: TrainingJob, object: KubeObject): KubeObject {
  const { metadata } = object;
  return {
    ...object,
    metadata: {
      ...metadata,
      namespace: job.metadata.namespace,
      labels: { ...metadata?.labels, ...adapter.labels.ofJob(job.metadata.name) },
      ownerReferences: [ownerReference(job)],
    },
  };
}
