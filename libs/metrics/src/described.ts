import type { LabelOf, MetricDeclaration } from './declaration.ts';

/** What prom-client's classes are told of any metric. */
export function described<M extends MetricDeclaration>({ name, help, labels }: M) {
  return { name, help, labelNames: [...labels] as LabelOf<M>[] };
}
