/** Parts that the elastic policies of Kubeflow's kinds share: the bounds of the number of workers, and the autoscaler's metrics. */
import * as z from 'zod';
import type { Rule } from './rule.ts';
import { whileJobHasPods } from './while-job-has-pods.ts';

const atLeastOne = () => z.int32().min(1);

export const elasticBoundFields = {
  minReplicas: atLeastOne()
    .describe('Minimum number of workers. Default: maxReplicas, else the number of workers that the job started with.')
    .exactOptional(),
  maxReplicas: atLeastOne()
    .describe('Maximum number of workers. Default: minReplicas, else the number of workers that the job started with.')
    .exactOptional(),
};

export const elasticMetricsField = {
  metrics: z
    .array(z.looseObject({ type: z.string().describe('Resource, Pods, Object, External or ContainerResource.') }))
    .describe(
      'Metrics by which a HorizontalPodAutoscaler scales the workers between minReplicas and maxReplicas, ' +
        'written as in autoscaling/v2. Default: no autoscaler.',
    )
    .exactOptional(),
};

interface Bounds {
  readonly minReplicas?: number;
  readonly maxReplicas?: number;
}

export const BOUNDS_IN_ORDER: Rule<Bounds> = {
  cel: '!has(self.minReplicas) || !has(self.maxReplicas) || self.minReplicas <= self.maxReplicas',
  holds: ({ minReplicas, maxReplicas }) =>
    minReplicas === undefined || maxReplicas === undefined || minReplicas <= maxReplicas,
  message: 'must not be greater than maxReplicas',
  at: ['minReplicas'],
};

interface ElasticSize {
  /** The field of the spec with the roles. */
  readonly field: string;
  /** CEL expression for the number of workers of a job, given the expression for the job. */
  readonly workersCel: (job: string) => string;
  /** CEL expression for the pods that count towards the minimum besides the workers. Default: none. */
  readonly othersCel?: string;
  /** The end of the message: why, and what to do. */
  readonly why: string;
}

/** The number of workers stays within the bounds while the job has pods. The autoscaler counts only workers, up to `maxReplicas`. */
export function sizeWithinBounds<Job>({ field, workersCel, othersCel, why }: ElasticSize): Rule<Job> {
  /** An unset bound is the other one; if both are unset, the size that the job started with. */
  const boundCel = (bound: 'min' | 'max') => {
    const policy = 'self.?spec.?elasticPolicy';
    const [own, other] = bound === 'min' ? ['min', 'max'] : ['max', 'min'];
    const kept = `oldSelf.?status.?elastic.?${own}Replicas`;
    return `${policy}.?${own}Replicas.or(${policy}.?${other}Replicas).or(${kept}).orValue(${workersCel('oldSelf')})`;
  };
  const others = othersCel === undefined ? '' : ` + ${othersCel}`;
  return whileJobHasPods<Job>({
    // Another rule rejects 0 workers.
    cel:
      `!self.?spec.?elasticPolicy.hasValue() || ${workersCel('self')} in [0, ${workersCel('oldSelf')}] || ` +
      `(${workersCel('self')} <= ${boundCel('max')} && ` +
      `${workersCel('self')}${others} >= ${boundCel('min')})`,
    message: `must stay within elasticPolicy.minReplicas and maxReplicas while the job runs: ${why}`,
    at: ['spec', field, 'Worker', 'replicas'],
  });
}
