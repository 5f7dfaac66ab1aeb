import { matching } from '../promql/matchers.ts';
import type { Vector } from '../promql/vector.ts';

/** `critical`: act at once, because jobs are not reconciled. `warning`: act within the day. */
type Severity = 'critical' | 'warning';

export interface Alert {
  readonly name: `Muster${string}`;
  /** Has a series for each affected object. May contain placeholders, which the chart replaces. */
  readonly expression: Vector<string>;
  /** How long the expression must hold. */
  readonly for: `${number}${'s' | 'm' | 'h'}`;
  readonly severity: Severity;
  /** Default of `%{threshold}` in the expression. */
  readonly threshold?: { readonly value: number; readonly meaning: string; readonly isShare?: boolean };
  /** What is wrong, in one sentence without placeholders: the charts also use it as the description of the alert's values. */
  readonly summary: string;
  /** The value, the likely cause and the next step. May contain `{{ $labels.x }}` and `{{ $value }}`. */
  readonly description: string;
  /** The alert is left out without series of single jobs, or without a memory limit in the values of the chart. */
  readonly needs?: 'perJob' | 'memoryLimit';
}

export const THRESHOLD = '%{threshold}';

/** `threshold` times the memory limit of the container, in bytes. */
export const MEMORY_THRESHOLD = '%{memoryThreshold}';

/** Series of the pods of the release. The chart replaces the pattern of their names (`operator-lib.podPattern`). */
export const RELEASE_MATCHERS = { namespace: '%{namespace}', pod: matching('%{podPattern}') };
