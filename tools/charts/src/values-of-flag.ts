/** The values of a framework's chart that set a flag of its operator. */
import type { FrameworkName } from '@muster/job-api';
import { BY_TEMPLATE, LEFT_OUT } from './files/other-flags-file.ts';
import { chartValues } from './values/chart-values.ts';
import { leafValues } from './values/leaf-values.ts';

export interface ValuesOfFlag {
  /** Paths as for `--set`. */
  readonly paths: readonly string[];
  /** Why there are none. Then only `operator.extraArgs` can set the flag. */
  readonly reason?: string;
}

export function valuesOfFlag(framework: FrameworkName, flag: string): ValuesOfFlag {
  const computed = BY_TEMPLATE[flag];
  if (computed !== undefined) return { paths: computed };
  const leaf = leafValues(chartValues(framework)).find(({ schema }) => schema.flag === flag);
  if (leaf !== undefined) return { paths: [leaf.path] };
  const reason = LEFT_OUT[flag];
  if (reason === undefined) throw new Error(`--${flag}: add a value of the chart, or a reason in LEFT_OUT`);
  return { paths: [], reason };
}
