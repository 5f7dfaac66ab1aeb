/** `files/flags.yaml`: which of the operator's flags has which value. The library chart makes the pod's arguments of it. */
import { stringify } from 'yaml';
import type { ValueSchema } from '../values/chart-values.ts';
import { leafValues } from '../values/leaf-values.ts';

export function flagsFile(schema: ValueSchema): string {
  const flags = leafValues(schema).flatMap(({ path, schema: { flag } }) => (flag === undefined ? [] : [[flag, path]]));
  return stringify(Object.fromEntries(flags) as Record<string, string>);
}
