/** The storage of a cluster's GCS, from which a recreated head continues. */
import { isTrue } from '../model/cluster-annotations.ts';
import type { ClusterModel } from '../model/ray-cluster-model.ts';
import { RAY_ANNOTATIONS } from '../model/ray-labels.ts';

/** Undefined: the head's memory, which is lost with the head. */
export function gcsBackend({
  spec,
  annotations,
}: Pick<ClusterModel, 'spec' | 'annotations'>): 'redis' | 'rocksdb' | undefined {
  if (spec.gcsFaultToleranceOptions !== undefined) return spec.gcsFaultToleranceOptions.backend ?? 'redis';
  return isTrue(annotations[RAY_ANNOTATIONS.ftEnabled]) ? 'redis' : undefined;
}
