import { rayContainerOf, type ClusterModel } from '../model/ray-cluster-model.ts';

export const AUTOSCALER_V2_ENV = 'RAY_enable_autoscaler_v2';

export function hasAutoscaler({ spec }: Pick<ClusterModel, 'spec'>): boolean {
  return spec.enableInTreeAutoscaling === true;
}

/** `v2` also by the user's environment, as in older manifests. Undefined: no autoscaler, or Ray's own default. */
export function autoscalerVersion(cluster: Pick<ClusterModel, 'spec'>): 'v1' | 'v2' | undefined {
  if (!hasAutoscaler(cluster)) return undefined;
  const { autoscalerOptions, headGroupSpec } = cluster.spec;
  if (autoscalerOptions?.version !== undefined) return autoscalerOptions.version;
  const env = rayContainerOf(headGroupSpec.template)?.env ?? [];
  const users = env.find(({ name }) => name === AUTOSCALER_V2_ENV)?.value?.toLowerCase();
  return users === 'true' || users === '1' ? 'v2' : undefined;
}

/** In autoscaler v2 a pod is an instance with one end: containers of head and workers are not restarted in place. */
export function neverRestartsInPlace(cluster: Pick<ClusterModel, 'spec'>): boolean {
  return autoscalerVersion(cluster) === 'v2';
}
