/** The framework's port in a role's pods. Follows kubeflow/training-operator, pkg/apis/kubeflow.org/v1 (defaulting). */
import type { Container, ContainerPort, PodTemplateSpec } from '@muster/job-api';
import type { FrameworkAdapter, Role } from './adapter.ts';

type PortRule = Pick<FrameworkAdapter, 'containerName' | 'port'>;

/** The framework's container; where the template names none so, its first one. */
function mainContainer(containers: readonly Container[], name: string): Container | undefined {
  return containers.find((container) => container.name === name) ?? containers[0];
}

/** `template` with the framework's port added after the user's own, unless a port of that name is there. */
export function withDefaultPort(template: PodTemplateSpec, { containerName, port }: PortRule): PodTemplateSpec {
  const containers = template.spec?.containers ?? [];
  const target = mainContainer(containers, containerName);
  if (template.spec === undefined || target === undefined || hasPort(target, port.name)) return template;
  const added: ContainerPort = { name: port.name, containerPort: port.number };
  const withPort = { ...target, ports: [...(target.ports ?? []), added] };
  return {
    ...template,
    spec: { ...template.spec, containers: containers.map((each) => (each === target ? withPort : each)) },
  };
}

/** The number of the framework's port in the pods of `role`. */
export function portOf(role: Role, { containerName, port }: PortRule): number {
  const container = role.template.spec?.containers.find(({ name }) => name === containerName);
  return container?.ports?.find(({ name }) => name === port.name)?.containerPort ?? port.number;
}

function hasPort(container: Container, name: string): boolean {
  return container.ports?.some((port) => port.name === name) ?? false;
}
