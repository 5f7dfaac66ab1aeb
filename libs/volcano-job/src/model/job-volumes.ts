/** `spec.volumes`: PersistentVolumeClaims mounted in all containers. The Job owns the claims that it describes. */
import { createHash } from 'node:crypto';
import type { EnsuredObject, Problem } from '@muster/common-job-controller';
import type { KubeObject, PodSpec, Resource, VolcanoJob, VolumeMount } from '@muster/job-api';

type Volumes = NonNullable<VolcanoJob['spec']['volumes']>;

interface Claim extends KubeObject {
  spec?: object;
}

const CLAIMS: Resource<Claim> = {
  ...{ group: '', version: 'v1', kind: 'PersistentVolumeClaim', plural: 'persistentvolumeclaims', namespaced: true },
};

export const CLAIM_PERMISSION = { group: '', resource: CLAIMS.plural, verbs: ['create', 'get', 'update'] } as const;

/** Existing claims are reused, with their data. Names derive from the mount paths, not from the order of volumes. */
export function jobClaims(job: string, volumes: Volumes): EnsuredObject[] {
  return volumes.flatMap(({ volumeClaim, mountPath }): EnsuredObject[] => {
    if (volumeClaim === undefined) return [];
    const object: Claim = {
      apiVersion: 'v1',
      kind: CLAIMS.kind,
      metadata: { name: ownClaim(job, mountPath) },
      spec: volumeClaim,
    };
    return [{ resource: CLAIMS, object, complete: (whole) => whole, serves: () => true }];
  });
}

function ownClaim(job: string, mountPath: string): string {
  return `${job}-volume-${createHash('sha256').update(mountPath).digest('hex').slice(0, 8)}`;
}

export function withJobVolumes(job: string, volumes: Volumes, spec: PodSpec): PodSpec {
  if (volumes.length === 0) return spec;
  const named = volumes.map(({ mountPath, volumeClaimName }) => ({
    mountPath,
    claim: volumeClaimName || ownClaim(job, mountPath),
  }));
  const claims = [...new Set(named.map(({ claim }) => claim))];
  // A claim's name may be longer than a volume's.
  const volumeOf = (claim: string) => `job-volume-${claims.indexOf(claim)}`;
  const mounts = named.map(({ claim, mountPath }) => ({ name: volumeOf(claim), mountPath }));
  return {
    ...spec,
    volumes: [
      ...(spec.volumes ?? []),
      ...claims.map((claimName) => ({ name: volumeOf(claimName), persistentVolumeClaim: { claimName } })),
    ],
    containers: spec.containers.map((each) => ({ ...each, volumeMounts: withMounts(each.volumeMounts ?? [], mounts) })),
  };
}

/** The mounts of the template take precedence. */
function withMounts(own: readonly VolumeMount[], mounts: readonly VolumeMount[]): VolumeMount[] {
  return [...own, ...mounts.filter(({ mountPath }) => own.every((each) => each.mountPath !== mountPath))];
}

/** The rules of Volcano's admission webhook. */
export function volumeProblems(volumes: Volumes): Problem[] {
  return volumes.flatMap(({ mountPath, volumeClaim, volumeClaimName }, at): Problem[] => {
    const path = `spec.volumes[${at}]`;
    if (volumes.findIndex((each) => each.mountPath === mountPath) < at) {
      return [
        { path: `${path}.mountPath`, message: `Duplicate value: "${mountPath}": another volume has this mountPath` },
      ];
    }
    if (volumeClaim === undefined && !volumeClaimName) {
      return [{ path, message: 'Required value: set volumeClaimName or volumeClaim' }];
    }
    if (volumeClaim !== undefined && volumeClaimName) {
      const message = `Forbidden: volumeClaimName is "${volumeClaimName}": set only one of volumeClaimName and volumeClaim`;
      return [{ path: `${path}.volumeClaim`, message }];
    }
    return [];
  });
}
