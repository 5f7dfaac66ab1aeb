/** The framework's port in a role's pods. Follows kubeflow/training-operator, pkg/apis/kubeflow.org/v1 (defaulting). */
import {
  problemsOf,
  type ContainerPort,
  type KubeObject,
  type PodTemplateSpec,
  type ReplicaSpecs,
} from '@muster/job-api';
import type { Problem } from './adapter.ts';
import type { ReplicaRole } from '../model/training-job.ts';

export interface PortRule {
  readonly containerName: string;
  /** Added if the container has no port of this name; in the host's network, where a port must not occur twice, nor of this number. */
  readonly port: { readonly name: string; readonly number: number };
}

export function withDefaultPort(template: PodTemplateSpec, { containerName, port }: PortRule): PodTemplateSpec {
  const { containers = [], hostNetwork = false } = template.spec ?? {};
  const target = containers.find(({ name }) => name === containerName) ?? containers[0];
  if (template.spec === undefined || target === undefined) return template;
  const has = ({ name, containerPort, protocol = 'TCP' }: ContainerPort) =>
    name === port.name || (hostNetwork && containerPort === port.number && protocol === 'TCP');
  if (target.ports?.some(has) === true) return template;
  const withPort = { ...target, ports: [...(target.ports ?? []), { name: port.name, containerPort: port.number }] };
  const completed = containers.map((each) => (each === target ? withPort : each));
  return { ...template, spec: { ...template.spec, containers: completed } };
}

export function portOf({ template }: Pick<ReplicaRole, 'template'>, { containerName, port }: PortRule): number {
  const container = template.spec?.containers.find(({ name }) => name === containerName);
  return container?.ports?.find(({ name }) => name === port.name)?.containerPort ?? port.number;
}

/** What admission refuses, or else port clashes, which the schema cannot express. */
export function problemsWithPorts<Field extends string>(
  definition: Parameters<typeof problemsOf>[0],
  manifest: KubeObject & { spec: Record<Field, ReplicaSpecs> },
  field: Field,
  rule: PortRule,
): readonly Problem[] {
  const problems = problemsOf(definition, manifest);
  return problems.length > 0 ? problems : portProblems(field, manifest.spec[field], rule);
}

/**
 * Containers of a pod share an address, so one of two with the same port could not start.
 *
 * @param field the field of the spec that holds `specs`
 */
export function portProblems(field: string, specs: ReplicaSpecs, rule: PortRule): Problem[] {
  return Object.entries(specs).flatMap(([role, spec]) => {
    // A manifest that no API server has validated may have null for a role or a list.
    if (!spec) return [];
    const taken = portOf(spec, rule);
    const containers = spec.template.spec?.containers ?? [];
    return containers.flatMap(({ name, ports }, index) => {
      if (name === rule.containerName || !ports) return [];
      const path = `spec.${field}[${role}].template.spec.containers[${index}]`;
      return ports.flatMap(({ containerPort, protocol = 'TCP' }, at) =>
        containerPort === taken && protocol === 'TCP' ? [clash(`${path}.ports[${at}].containerPort`, taken, rule)] : [],
      );
    });
  });
}

function clash(path: string, number: number, { containerName, port }: PortRule): Problem {
  const who = `container ${containerName} of the same pod uses this port (${port.name})`;
  return { path, message: `Invalid value: ${number}: ${who}: use another port for one of them` };
}
