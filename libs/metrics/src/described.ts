import type { LabelOf, MetricDeclaration } from './declaration.ts';

/** Options that all of prom-client's classes take. */
export function described<M extends MetricDeclaration>({ name, help, labels }: M) {
  return { name, help, labelNames: [...labels] as LabelOf<M>[] };
}
