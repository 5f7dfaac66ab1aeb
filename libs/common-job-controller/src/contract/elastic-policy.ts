/** The parts of `spec.elasticPolicy` that Kubeflow's kinds share. */
import type { JobStatus } from '@muster/job-api';
import type { Autoscaling } from '../model/autoscaling.ts';
import type { ElasticBounds } from './facets.ts';

interface ElasticPolicy {
  readonly minReplicas?: number;
  readonly maxReplicas?: number;
  readonly metrics?: readonly object[];
}

export type BoundedPolicy<Policy extends ElasticPolicy> = Policy & { minReplicas: number; maxReplicas: number };

/**
 * The policy with both bounds. An unset bound is the other one. The bounds are passed to pods, so a job without bounds keeps those that it
 * started with.
 *
 * @param workers the number of workers, without the master
 */
export function withBounds<Policy extends ElasticPolicy>(
  policy: Policy | undefined,
  status: JobStatus | undefined,
  workers: number,
): BoundedPolicy<Policy> | undefined {
  if (policy === undefined) return undefined;
  const { minReplicas: min = policy.maxReplicas, maxReplicas: max = policy.minReplicas } = policy;
  return {
    ...policy,
    minReplicas: min ?? status?.elastic?.minReplicas ?? workers,
    maxReplicas: max ?? status?.elastic?.maxReplicas ?? workers,
  };
}

export function boundsOf(policy: BoundedPolicy<ElasticPolicy> | undefined): Required<ElasticBounds> | undefined {
  return policy && { min: policy.minReplicas, max: policy.maxReplicas };
}

/** Undefined unless the policy has metrics, also an empty list. */
export function autoscalingBy(policy: BoundedPolicy<ElasticPolicy> | undefined): Autoscaling | undefined {
  return policy?.metrics && { ...policy, metrics: policy.metrics };
}
