import type { KubeObject } from '@muster/job-api';
import { resourceName, type Informer } from '@muster/kube';

export function informerProblem(informer: Informer<KubeObject>, installHint?: string): string | undefined {
  const { resource, problem, synced } = informer;
  const name = resourceName(resource);
  if (problem?.reason === 'NotFound' && installHint !== undefined) {
    return `the CustomResourceDefinition ${name} is not installed: run ${installHint}`;
  }
  if (problem !== undefined) return `cannot watch ${name}: ${problem.message}`;
  return synced ? undefined : `waiting for the first list of ${name}`;
}
