/** Where Kubernetes keeps the autoscalers that change how many workers a job has. */
import type { HorizontalPodAutoscaler, Resource } from './kubernetes.ts';

export const HORIZONTAL_POD_AUTOSCALERS: Resource<HorizontalPodAutoscaler> = {
  group: 'autoscaling',
  version: 'v2',
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
  namespaced: true,
};
