/** What an alert is made of. */
import { matching } from '../promql/matchers.ts';
import type { Vector } from '../promql/vector.ts';

/**
 * `critical`: somebody has to look now, because jobs are not looked after. `warning`: somebody has to look today.
 */
type Severity = 'critical' | 'warning';

export interface Alert {
  readonly name: `Muster${string}`;
  /** Has a series for each thing that is in trouble. May hold placeholders, which the chart fills in. */
  readonly expression: Vector<string>;
  /** How long it has to be so. */
  readonly for: `${number}${'s' | 'm' | 'h'}`;
  readonly severity: Severity;
  /** What `%{threshold}` of the expression is, unless the values of the chart say otherwise. */
  readonly threshold?: { readonly value: number; readonly meaning: string };
  /** One line: what is wrong. */
  readonly summary: string;
  /** What it means and by which value it was found; `{{ $labels.x }}` and `{{ $value }}` as Prometheus has them. */
  readonly description: string;
  /** Without which it is left out: the series of single jobs, or a limit of memory in the values of the chart. */
  readonly needs?: 'perJob' | 'memoryLimit';
}

/** The placeholder of the threshold. */
export const THRESHOLD = '%{threshold}';

/** The placeholder of the share `threshold` of the container's limit of memory, in bytes. */
export const MEMORY_THRESHOLD = '%{memoryThreshold}';

/** Series of the pods of the chart's release. The chart knows the names of its Deployment's pods (`operator-lib.podPattern`). */
export const OF_RELEASE = { namespace: '%{namespace}', pod: matching('%{podPattern}') };
