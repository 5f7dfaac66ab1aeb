/** Where the GCS of a cluster keeps what it knows, so that a head that is recreated goes on with it. */
import { isTrue } from '../model/cluster-annotations.ts';
import type { ClusterModel } from '../model/ray-cluster-model.ts';
import { RAY_ANNOTATIONS } from '../model/ray-labels.ts';

/** Undefined: in the head's memory alone, and all is lost with the head. */
export function gcsBackend({
  spec,
  annotations,
}: Pick<ClusterModel, 'spec' | 'annotations'>): 'redis' | 'rocksdb' | undefined {
  if (spec.gcsFaultToleranceOptions !== undefined) return spec.gcsFaultToleranceOptions.backend ?? 'redis';
  return isTrue(annotations[RAY_ANNOTATIONS.ftEnabled]) ? 'redis' : undefined;
}
