/** GCS fault tolerance with RocksDB on a volume of the head, since Ray 2.60. Only one head at a time can open it. */
import type { EnvVar, PersistentVolumeClaim, PodSpec } from '@muster/job-api';
import { withMount, withVolume } from '../pods/volumes.ts';
import { gcsClaimName } from '../model/names.ts';
import type { ClusterModel } from '../model/ray-cluster-model.ts';
import { clusterLabels } from '../model/ray-labels.ts';
import { gcsBackend } from './gcs-backend.ts';

/** The user's own volume or mount of these names is refused. */
export const GCS_VOLUME = 'gcs-storage';
export const GCS_FOLDER = '/data/gcs';
const USUAL_SIZE = '1Gi';

/** The user's own variables of these names are refused. */
export function rocksdbEnv(): EnvVar[] {
  return [
    { name: 'RAY_gcs_storage', value: 'rocksdb' },
    { name: 'RAY_gcs_storage_path', value: GCS_FOLDER },
  ];
}

export function withGcsVolume(cluster: ClusterModel, spec: PodSpec): PodSpec {
  const [ray, ...others] = spec.containers;
  if (gcsBackend(cluster) !== 'rocksdb' || ray === undefined) return spec;
  const { claimName, subPath } = storageOf(cluster);
  const mount = { name: GCS_VOLUME, mountPath: GCS_FOLDER, ...(subPath !== undefined && { subPath }) };
  const claim = claimName ?? gcsClaimName(cluster);
  return withVolume(
    { ...spec, containers: [withMount(ray, mount), ...others] },
    { name: GCS_VOLUME, persistentVolumeClaim: { claimName: claim } },
  );
}

/** Undefined without RocksDB, or if the user names a claim. */
export function gcsClaim(cluster: ClusterModel): PersistentVolumeClaim | undefined {
  const { claimName, accessModes, storageClassName, size } = storageOf(cluster);
  if (gcsBackend(cluster) !== 'rocksdb' || claimName !== undefined) return undefined;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: gcsClaimName(cluster), namespace: cluster.namespace, labels: clusterLabels(cluster) },
    spec: {
      accessModes: accessModes ?? ['ReadWriteOnce'],
      ...(storageClassName !== undefined && { storageClassName }),
      resources: { requests: { storage: String(size ?? USUAL_SIZE) } },
    },
  };
}

/** A retained claim has no owner, and a later cluster of the same name uses it. */
export function retainsGcsClaim(cluster: ClusterModel): boolean {
  return storageOf(cluster).deletionPolicy === 'Retain';
}

function storageOf({ spec }: ClusterModel) {
  return spec.gcsFaultToleranceOptions?.storage ?? {};
}
