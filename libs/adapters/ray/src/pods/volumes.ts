/** Adds volumes, unless the user has one of that name or another mount at the path. */
import { parseQuantity, type Container, type PodSpec, type Volume, type VolumeMount } from '@muster/job-api';
import type { RayGroup } from '../model/ray-cluster-model.ts';

export function withVolume(spec: PodSpec, volume: Volume): PodSpec {
  const users = spec.volumes ?? [];
  return users.some(({ name }) => name === volume.name) ? spec : { ...spec, volumes: [...users, volume] };
}

export function withMount(container: Container, mount: VolumeMount): Container {
  return mountsAt(container, mount.mountPath)
    ? container
    : { ...container, volumeMounts: [...(container.volumeMounts ?? []), mount] };
}

/** For Ray's object store, which does not fit into the default of 64 MiB. */
const SHARED_MEMORY: VolumeMount = { name: 'shared-mem', mountPath: '/dev/shm' };

/** Sized as the Ray container's memory, unless the user mounts `/dev/shm` or the object store is elsewhere. */
export function withSharedMemory(spec: PodSpec, group: RayGroup): PodSpec {
  const [ray, ...others] = spec.containers;
  const isElsewhere = group.spec.rayStartParams?.['plasma-directory'] !== undefined;
  if (ray === undefined || isElsewhere || mountsAt(ray, SHARED_MEMORY.mountPath)) return spec;
  const sizeLimit = memoryOf(ray);
  const emptyDir = { medium: 'Memory', ...(sizeLimit !== undefined && { sizeLimit }) };
  return withVolume(
    { ...spec, containers: [withMount(ray, SHARED_MEMORY), ...others] },
    { name: SHARED_MEMORY.name, emptyDir },
  );
}

function mountsAt({ volumeMounts = [] }: Container, path: string): boolean {
  return volumeMounts.some(({ mountPath }) => mountPath === path);
}

function memoryOf({ resources }: Container): string | undefined {
  const memory = resources?.limits?.['memory'] ?? resources?.requests?.['memory'];
  return memory !== undefined && parseQuantity(memory) !== undefined ? memory : undefined;
}
