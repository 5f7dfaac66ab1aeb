/** The record of a cluster that Muster takes over from KubeRay, from its status. */
import type { JobCondition, JobStatus, RayCluster } from '@muster/job-api';

/** Empty for a new cluster. */
export function inheritedRecord({ metadata, status }: RayCluster): JobStatus {
  if (status?.observedGeneration === undefined && status?.state === undefined) return {};
  const since = metadata?.creationTimestamp ?? new Date(0).toISOString();
  const holds = (type: string) => status.conditions?.some((each) => each.type === type && each.status === 'True');
  const conditions: JobCondition[] = [condition('Created', 'RayClusterCreated', since)];
  if (holds('RayClusterSuspended') === true || holds('RayClusterSuspending') === true) {
    conditions.push(condition('Suspended', 'RayClusterSuspended', since));
  } else if (status.state === 'ready' || holds('RayClusterProvisioned') === true) {
    conditions.push(condition('Running', 'RayClusterRunning', since));
  }
  const { observedGeneration } = status;
  return { conditions, startTime: since, ...(observedGeneration !== undefined && { observedGeneration }) };
}

function condition(type: JobCondition['type'], reason: string, at: string): JobCondition {
  return { type, status: 'True', reason, lastTransitionTime: at, lastUpdateTime: at };
}
