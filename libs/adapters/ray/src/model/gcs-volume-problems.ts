/** Volumes and mounts of the user that conflict with those for RocksDB. */
import type { Problem } from '@muster/common-job-controller';
import type { RayClusterSpec } from '@muster/job-api';
import { GCS_FOLDER, GCS_VOLUME } from '../fault-tolerance/rocksdb.ts';

/** @param path of the spec */
export function gcsVolumeProblems(spec: RayClusterSpec, path: string): Problem[] {
  if (spec.gcsFaultToleranceOptions?.backend !== 'rocksdb') return [];
  const pod = spec.headGroupSpec.template.spec;
  const at = `${path}.headGroupSpec.template.spec`;
  const volumes = (pod?.volumes ?? []).flatMap(({ name }, index) =>
    name === GCS_VOLUME ? [`${at}.volumes[${index}]`] : [],
  );
  const mounts = (pod?.containers[0]?.volumeMounts ?? []).flatMap(({ name, mountPath }, index) =>
    name === GCS_VOLUME || mountPath === GCS_FOLDER ? [`${at}.containers[0].volumeMounts[${index}]`] : [],
  );
  return [...mounts, ...volumes].map((place) => ({
    path: place,
    message: `Forbidden: remove it: with backend rocksdb Muster mounts the volume ${GCS_VOLUME} at ${GCS_FOLDER}`,
  }));
}
