/** The record of a RayService that Muster takes over from KubeRay, from its status. */
import type { JobCondition, JobStatus, RayService } from '@muster/job-api';

/** Empty for a new service. */
export function inheritedServiceRecord({ metadata, status }: RayService): JobStatus {
  const { conditions = [], observedGeneration, activeServiceStatus } = status ?? {};
  const hasRun = (activeServiceStatus?.rayClusterName ?? '') !== '';
  if (conditions.length === 0 && !hasRun) return {};
  const since = metadata?.creationTimestamp ?? new Date(0).toISOString();
  return {
    conditions: [condition('Created', since), ...(hasRun ? [condition('Running', since)] : [])],
    startTime: since,
    ...(observedGeneration !== undefined && { observedGeneration }),
  };
}

function condition(type: 'Created' | 'Running', at: string): JobCondition {
  return { type, status: 'True', reason: `RayService${type}`, lastTransitionTime: at, lastUpdateTime: at };
}
