/** An object as JSON or YAML, as it is written into files. */
import { yamlText } from '@muster/kubernetes-yaml';

export function objectText(object: unknown, form: 'json' | 'yaml'): string {
  return form === 'json' ? `${JSON.stringify(object, undefined, 2)}\n` : yamlText(object);
}
