/** The ports that the Ray container declares, under the names that they have at the head's Service. */
import type { Container, ContainerPort, PodSpec } from '@muster/job-api';
import { portOfGroup } from '../model/ports.ts';
import type { RayGroup } from '../model/ray-cluster-model.ts';

const HEAD_PORTS = [
  ['gcs-server', 'gcs'],
  ['dashboard', 'dashboard'],
  ['client', 'client'],
] as const;

/**
 * The Ray container with a port for metrics, unless it has one of that name, and a head's also with those of {@link HEAD_PORTS}
 * of which no container of `spec`, its pod, has the name or the number. What the user has declared stays.
 */
export function withPorts(group: RayGroup, spec: PodSpec, container: Container): Container {
  const ports = container.ports ?? [];
  const metrics: ContainerPort = { name: 'metrics', containerPort: portOfGroup(group, 'metrics') };
  const added = ports.some(({ name }) => name === metrics.name) ? [] : [metrics];
  const taken = [...spec.containers.flatMap((each) => each.ports ?? []), ...added];
  return { ...container, ports: [...ports, ...(group.kind === 'head' ? missingPorts(group, taken) : []), ...added] };
}

/** A number that two parameters name is declared once: what is wrong with that, Ray says. */
function missingPorts(group: RayGroup, taken: readonly ContainerPort[]): ContainerPort[] {
  const missing: ContainerPort[] = [];
  for (const [name, process] of HEAD_PORTS) {
    const port = { name, containerPort: portOfGroup(group, process) };
    if (![...taken, ...missing].some((other) => isRival(port, other))) missing.push(port);
  }
  return missing;
}

function isRival(port: ContainerPort, other: ContainerPort): boolean {
  return port.name === other.name || port.containerPort === other.containerPort;
}
