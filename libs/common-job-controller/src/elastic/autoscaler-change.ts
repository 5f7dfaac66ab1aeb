import type { HorizontalPodAutoscaler, KubeObject } from '@muster/job-api';
import { mergePatch } from '../model/merge-patch.ts';
import { metricSpec } from './metric-spec.ts';

type Autoscaler = KubeObject & Pick<HorizontalPodAutoscaler, 'spec'>;

/** Undefined if they are equal. Compares only fields that `desiredAutoscaler` sets: a scaling behaviour of the user is kept. */
export function autoscalerChange(existing: Autoscaler, wanted: Autoscaler): object | undefined {
  const target = { ...existing.metadata?.labels, ...wanted.metadata?.labels };
  const labels = mergePatch(existing.metadata?.labels ?? {}, target);
  const spec = mergePatch(comparable(existing.spec), comparable(wanted.spec));
  if (labels === undefined && spec === undefined) return undefined;
  return { ...(labels && { metadata: { labels } }), ...(spec && { spec }) };
}

function comparable(spec: Autoscaler['spec']): object {
  if (spec === undefined) return {};
  const { scaleTargetRef, minReplicas, maxReplicas, metrics = [] } = spec;
  return { scaleTargetRef, minReplicas, maxReplicas, metrics: metrics.map(metricSpec) };
}
