/** `files/flags.yaml`: the value of each flag of the operator. The library chart renders the arguments of the pod from it. */
import { stringify } from 'yaml';
import type { ValueSchema } from '../values/chart-values.ts';
import { leafValues } from '../values/leaf-values.ts';

export function flagsFile(schema: ValueSchema): string {
  const flags = leafValues(schema).flatMap(({ path, schema: { flag } }) => (flag === undefined ? [] : [[flag, path]]));
  return stringify(Object.fromEntries(flags) as Record<string, string>);
}
