/** Whether an autoscaler is what it should be, apart from what the API server and others have added. */
import type { HorizontalPodAutoscaler, KubeObject } from '@muster/job-api';
import { mergePatch } from '../model/merge-patch.ts';
import { metricSpec } from './metric-spec.ts';

/** One out of a cache of any kind of object. */
type Autoscaler = KubeObject & Pick<HorizontalPodAutoscaler, 'spec'>;

/**
 * The merge patch that makes `existing` what `wanted` is; undefined when it is that already. Compares, and changes, only
 * what `desiredAutoscaler` sets: a scaling behaviour that somebody added stays.
 */
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
