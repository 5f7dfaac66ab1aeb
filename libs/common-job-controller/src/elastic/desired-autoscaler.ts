/**
 * As in kubeflow/training-operator, pkg/controller.v1/pytorch/hpa.go. The engine deletes it when the job is suspended or has ended,
 * otherwise it would still change the job's spec.
 */
import { type HorizontalPodAutoscaler, type KubeObject, type MetricSpec } from '@muster/job-api';
import type { TrainingJob } from '../model/training-job.ts';
import { mergePatch } from '../model/merge-patch.ts';
import { jobApiVersion, ownerReference } from '../model/ownership.ts';
import { metricSpec } from './metric-spec.ts';
import type { Autoscaling } from '../model/autoscaling.ts';

/** The API server's default metric, set explicitly so that it is no difference. */
const DEFAULT_METRIC: MetricSpec = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
};

export function desiredAutoscaler(
  job: Pick<TrainingJob, 'resource' | 'ownerVersion' | 'metadata'>,
  labels: Readonly<Record<string, string>>,
  { minReplicas, maxReplicas, metrics }: Autoscaling,
): HorizontalPodAutoscaler {
  const { name, namespace } = job.metadata;
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name, namespace, labels: { ...labels }, ownerReferences: [ownerReference(job)] },
    spec: {
      scaleTargetRef: { apiVersion: jobApiVersion(job), kind: job.resource.kind, name },
      minReplicas,
      maxReplicas,
      metrics: metrics.length === 0 ? [DEFAULT_METRIC] : metrics.map(metricSpec),
    },
  };
}

type Autoscaler = KubeObject & Pick<HorizontalPodAutoscaler, 'spec'>;

/** Undefined if they are equal. Compares only fields that `desiredAutoscaler` sets: a scaling behaviour of the user is kept. */
export function autoscalerChange(existing: Autoscaler, wanted: Autoscaler): object | undefined {
  const { labels = {} } = existing.metadata ?? {};
  return mergePatch(
    { metadata: { labels }, spec: comparable(existing.spec) },
    { metadata: { labels: { ...labels, ...wanted.metadata?.labels } }, spec: comparable(wanted.spec) },
  );
}

function comparable(spec: Autoscaler['spec']): object {
  if (spec === undefined) return {};
  const { scaleTargetRef, minReplicas, maxReplicas, metrics = [] } = spec;
  return { scaleTargetRef, minReplicas, maxReplicas, metrics: metrics.map(metricSpec) };
}
