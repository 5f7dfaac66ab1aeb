/** The record of a RayJob that Muster takes over from KubeRay, from its status. */
import type { JobCondition, JobStatus, RayJob } from '@muster/job-api';

const CONDITION_TYPES: Readonly<Record<string, JobCondition['type']>> = {
  Running: 'Running',
  Waiting: 'Running',
  Retrying: 'Restarting',
  Suspending: 'Suspended',
  Suspended: 'Suspended',
  Complete: 'Succeeded',
  Failed: 'Failed',
};

/** Empty for a new job. */
export function inheritedJobRecord({ metadata, status }: RayJob): JobStatus {
  const { jobDeploymentStatus = '', startTime, endTime, observedGeneration, reason, message } = status ?? {};
  if (jobDeploymentStatus === '') return {};
  const since = startTime ?? metadata?.creationTimestamp ?? new Date(0).toISOString();
  const type = CONDITION_TYPES[jobDeploymentStatus];
  const at = endTime ?? since;
  return {
    conditions: [
      condition('Created', 'RayJobCreated', since),
      ...(type === undefined
        ? []
        : [{ ...condition(type, reason ?? `RayJob${type}`, at), ...(message && { message }) }]),
    ],
    startTime: since,
    ...(endTime !== undefined && { completionTime: endTime }),
    ...(observedGeneration !== undefined && { observedGeneration }),
  };
}

function condition(type: JobCondition['type'], reason: string, at: string): JobCondition {
  return { type, status: 'True', reason, lastTransitionTime: at, lastUpdateTime: at };
}
