/** An object as JSON or YAML, as it is written into files. */
import { stringify } from 'yaml';

export function objectText(object: unknown, form: 'json' | 'yaml'): string {
  if (form === 'json') return `${JSON.stringify(object, undefined, 2)}\n`;
  return stringify(object, { aliasDuplicateObjects: false, lineWidth: 0, compat: 'yaml-1.1' });
}
