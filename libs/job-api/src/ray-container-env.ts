/** The environment of the head's Ray container, as rules look at it. */
import type { EnvVar, PodTemplateSpec } from './kubernetes.ts';

interface WithHead {
  readonly headGroupSpec: { readonly template: PodTemplateSpec };
}

/** Where the head's containers stand: a rule cannot name an item of a list. */
export const HEAD_CONTAINERS = ['headGroupSpec', 'template', 'spec', 'containers'];

/** CEL expression for whether the head's Ray container has a variable `e` of which `cel` is true. */
export function headEnvCel(cel: string): string {
  const containers = 'self.headGroupSpec.template.spec.containers';
  // A default in place of these would hide the length of the list from the API server, which estimates the rule's cost by it.
  const steps = containers.split('.').map((_, index, path) => path.slice(0, index + 1).join('.'));
  const areThere = [...steps.slice(1).map((step) => `has(${step})`), `${containers}.size() > 0`].join(' && ');
  return `(${areThere} && has(${containers}[0].env) && ${containers}[0].env.exists(e, ${cel}))`;
}

/** The variables that the user gives the head's Ray container. */
export function headEnv({ headGroupSpec }: WithHead): readonly EnvVar[] {
  return headGroupSpec.template.spec?.containers[0]?.env ?? [];
}

export function hasHeadEnv(spec: WithHead, names: readonly string[]): boolean {
  return headEnv(spec).some(({ name }) => names.includes(name));
}
