/** Environment of the head's Ray container, for rules. */
import type { EnvVar, PodTemplateSpec } from './kubernetes.ts';

interface WithHead {
  readonly headGroupSpec: { readonly template: PodTemplateSpec };
}

/** Path of the head's containers: a rule cannot name an item of a list. */
export const HEAD_CONTAINERS = ['headGroupSpec', 'template', 'spec', 'containers'];

/** CEL expression: the head's Ray container has a variable `e` for which `cel` is true. */
export function headEnvCel(cel: string): string {
  const containers = 'self.headGroupSpec.template.spec.containers';
  // Defaults would hide the length of the list, by which the API server estimates the cost of the rule.
  const steps = containers.split('.').map((_, index, path) => path.slice(0, index + 1).join('.'));
  const areThere = [...steps.slice(1).map((step) => `has(${step})`), `${containers}.size() > 0`].join(' && ');
  return `(${areThere} && has(${containers}[0].env) && ${containers}[0].env.exists(e, ${cel}))`;
}

/** Environment variables of the head's Ray container in the manifest. */
export function headEnv({ headGroupSpec }: WithHead): readonly EnvVar[] {
  return headGroupSpec.template.spec?.containers[0]?.env ?? [];
}

export function hasHeadEnv(spec: WithHead, names: readonly string[]): boolean {
  return headEnv(spec).some(({ name }) => names.includes(name));
}
