/** What plugins do to a pod, in parts that go together. What the template says itself stays. */
import type { Container, ContainerPort, EnvVar, PodSpec, Volume, VolumeMount } from '@muster/job-api';

export type PodChange = (spec: PodSpec) => PodSpec;

/** Init containers are left as they are, or are changed as well. */
export type Where = 'containers' | 'all';

/** One after the other. */
export function inOrder(changes: readonly PodChange[]): PodChange {
  return (spec) => changes.reduce((changed, change) => change(changed), spec);
}

/** Behind the container's own; of a name that it has, its own counts. */
export function withEnv(env: readonly EnvVar[], where: Where): PodChange {
  return inContainers(where, (container) => {
    const own = new Set(container.env?.map(({ name }) => name));
    const added = env.filter(({ name }) => !own.has(name));
    return added.length === 0 ? container : { ...container, env: [...(container.env ?? []), ...added] };
  });
}

/** The container's ports and this one, unless it has one of that number. Where it calls another port so, this one has no name. */
export function addedPort({ ports = [] }: Container, name: string, containerPort: number): ContainerPort[] {
  if (ports.some((port) => port.containerPort === containerPort)) return ports;
  const isTaken = ports.some((port) => port.name === name);
  return [...ports, { ...(!isTaken && { name }), containerPort }];
}

/** {@link addedPort}, in each container. */
export function withPort(name: string, containerPort: number, where: Where): PodChange {
  return inContainers(where, (container) => ({ ...container, ports: addedPort(container, name, containerPort) }));
}

/** Mounted wherever nothing else is at that place. */
export function withVolume(volume: Volume, mount: Omit<VolumeMount, 'name'>, where: Where): PodChange {
  const mounted = inContainers(where, (container) => {
    const own = container.volumeMounts ?? [];
    if (own.some(({ mountPath }) => mountPath === mount.mountPath)) return container;
    return { ...container, volumeMounts: [...own, { name: volume.name, ...mount }] };
  });
  return (spec) => mounted({ ...spec, volumes: [...(spec.volumes ?? []), volume] });
}

/** Behind the template's own, unless it has one of that name. */
export function withInitContainer(container: Container): PodChange {
  return (spec) => {
    const own = spec.initContainers ?? [];
    return own.some(({ name }) => name === container.name) ? spec : { ...spec, initContainers: [...own, container] };
  };
}

export function inContainers(where: Where, change: (container: Container) => Container): PodChange {
  return (spec) => ({
    ...spec,
    containers: spec.containers.map(change),
    ...(where === 'all' && spec.initContainers && { initContainers: spec.initContainers.map(change) }),
  });
}
