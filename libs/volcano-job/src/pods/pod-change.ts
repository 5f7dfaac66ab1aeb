/** Changes that plugins make to a pod. Values in the template take precedence. */
import type { Container, ContainerPort, EnvVar, PodSpec, Volume, VolumeMount } from '@muster/job-api';

export type PodChange = (spec: PodSpec) => PodSpec;

export type Where = 'containers' | 'all';

export function inOrder(changes: readonly PodChange[]): PodChange {
  return (spec) => changes.reduce((changed, change) => change(changed), spec);
}

/** Appended to the container's own variables, which take precedence. */
export function withEnv(env: readonly EnvVar[], where: Where): PodChange {
  return inContainers(where, (container) => {
    const own = new Set(container.env?.map(({ name }) => name));
    const added = env.filter(({ name }) => !own.has(name));
    return added.length === 0 ? container : { ...container, env: [...(container.env ?? []), ...added] };
  });
}

/** Leaves out the name if another port uses it. */
export function addedPort({ ports = [] }: Container, name: string, containerPort: number): ContainerPort[] {
  if (ports.some((port) => port.containerPort === containerPort)) return ports;
  const isTaken = ports.some((port) => port.name === name);
  return [...ports, { ...(!isTaken && { name }), containerPort }];
}

/** With `hostNetwork` only one container of the pod may have a port: the first, if the template gives it to none. */
export function withPort(name: string, containerPort: number, where: Where): PodChange {
  const add = (container: Container) => ({ ...container, ports: addedPort(container, name, containerPort) });
  return (spec) => {
    if (spec.hostNetwork !== true) return inContainers(where, add)(spec);
    const isTaken = spec.containers.some(({ ports = [] }) =>
      ports.some((port) => port.containerPort === containerPort),
    );
    const [first] = spec.containers;
    return isTaken ? spec : inContainers('containers', (each) => (each === first ? add(each) : each))(spec);
  };
}

/** Not mounted where the container has another mount at that path. */
export function withVolume(volume: Volume, mount: Omit<VolumeMount, 'name'>, where: Where): PodChange {
  const mounted = inContainers(where, (container) => {
    const own = container.volumeMounts ?? [];
    if (own.some(({ mountPath }) => mountPath === mount.mountPath)) return container;
    return { ...container, volumeMounts: [...own, { name: volume.name, ...mount }] };
  });
  return (spec) => mounted({ ...spec, volumes: [...(spec.volumes ?? []), volume] });
}

/** Appended, unless the template has an init container of that name. */
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
