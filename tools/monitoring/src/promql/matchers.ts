/** Which series of a metric are meant. */
import type { LabelOf, MetricDeclaration, ValueOf } from '@muster/metrics';

/**
 * Labels that whoever scrapes adds: `namespace` and `pod` are the operator's, as a ServiceMonitor or PodMonitor sets them;
 * `cluster` is there only where metrics of several clusters come together.
 */
export type TargetLabel = 'cluster' | 'namespace' | 'pod';

export const TARGET_LABELS: readonly TargetLabel[] = ['cluster', 'namespace', 'pod'];

/** Any label that a series of the metric can have. */
export type SeriesLabel<M extends MetricDeclaration> = LabelOf<M> | TargetLabel;

interface Comparison {
  readonly operator: '=~' | '!=' | '!~';
  readonly value: string;
}

/** The value that a label has to have, or how it is compared. A label of a closed set takes no other value. */
export type Matchers<M extends MetricDeclaration> = {
  readonly [Label in SeriesLabel<M>]?: ValueOf<M, Label> | Comparison;
};

/** A regular expression that has to match as a whole. */
export function matching(value: string): Comparison {
  return { operator: '=~', value };
}

export function notMatching(value: string): Comparison {
  return { operator: '!~', value };
}

/** In braces; nothing where there is no matcher. */
export function matchersText(matchers: Readonly<Record<string, string | Comparison | undefined>>): string {
  const parts = Object.entries(matchers).flatMap(([label, matcher]) => {
    if (matcher === undefined) return [];
    const { operator, value } = typeof matcher === 'string' ? { operator: '=', value: matcher } : matcher;
    return [`${label}${operator}${JSON.stringify(value)}`];
  });
  return parts.length === 0 ? '' : `{${parts.join(',')}}`;
}
