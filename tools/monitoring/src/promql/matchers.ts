import type { LabelOf, MetricDeclaration, ValueOf } from '@muster/metrics';

/**
 * Labels that the scrape adds: `namespace` and `pod` of the operator, from a ServiceMonitor or PodMonitor. `cluster` exists only if
 * Prometheus has metrics of several clusters.
 */
export type TargetLabel = 'cluster' | 'namespace' | 'pod';

export const TARGET_LABELS: readonly TargetLabel[] = ['cluster', 'namespace', 'pod'];

export type SeriesLabel<M extends MetricDeclaration> = LabelOf<M> | TargetLabel;

interface Comparison {
  readonly operator: '=~' | '!=' | '!~';
  readonly value: string;
}

/** Values of labels, or comparisons. For a label with a closed set of values only these compile. */
export type Matchers<M extends MetricDeclaration> = {
  readonly [Label in SeriesLabel<M>]?: ValueOf<M, Label> | Comparison;
};

/** A regular expression, anchored at both ends. */
export function matching(value: string): Comparison {
  return { operator: '=~', value };
}

export function notMatching(value: string): Comparison {
  return { operator: '!~', value };
}

/** In braces; empty without matchers. */
export function matchersText(matchers: Readonly<Record<string, string | Comparison | undefined>>): string {
  const parts = Object.entries(matchers).flatMap(([label, matcher]) => {
    if (matcher === undefined) return [];
    const { operator, value } = typeof matcher === 'string' ? { operator: '=', value: matcher } : matcher;
    return [`${label}${operator}${JSON.stringify(value)}`];
  });
  return parts.length === 0 ? '' : `{${parts.join(',')}}`;
}
