/** Ports of the Ray container, with the names of the head's Service. */
import type { Container, ContainerPort, PodSpec } from '@muster/job-api';
import { portOfGroup } from '../model/ports.ts';
import type { RayGroup } from '../model/ray-cluster-model.ts';

const HEAD_PORTS = [
  ['gcs-server', 'gcs'],
  ['dashboard', 'dashboard'],
  ['client', 'client'],
] as const;

/**
 * Adds a port for metrics, unless there is one (in the host's network, where a pod must not have a port twice, also one of its number in
 * any container), and on a head those of {@link HEAD_PORTS} whose name and number no
 * container of the pod has. The user's ports are kept.
 */
export function withPorts(group: RayGroup, spec: PodSpec, container: Container): Container {
  const ports = container.ports ?? [];
  const metrics: ContainerPort = { name: 'metrics', containerPort: portOfGroup(group, 'metrics') };
  const all = spec.containers.flatMap((each) => each.ports ?? []);
  const isTaken =
    ports.some(({ name }) => name === metrics.name) ||
    (spec.hostNetwork === true && all.some(({ containerPort }) => containerPort === metrics.containerPort));
  const added = isTaken ? [] : [metrics];
  const taken = [...all, ...added];
  return { ...container, ports: [...ports, ...(group.kind === 'head' ? missingPorts(group, taken) : []), ...added] };
}

/** Declares a number of two parameters once; Ray reports the conflict. */
function missingPorts(group: RayGroup, taken: readonly ContainerPort[]): ContainerPort[] {
  const missing: ContainerPort[] = [];
  for (const [name, process] of HEAD_PORTS) {
    const port = { name, containerPort: portOfGroup(group, process) };
    if (![...taken, ...missing].some((other) => isSamePort(port, other))) missing.push(port);
  }
  return missing;
}

function isSamePort(port: ContainerPort, other: ContainerPort): boolean {
  return port.name === other.name || port.containerPort === other.containerPort;
}
