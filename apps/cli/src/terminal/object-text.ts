/** Formats an object as JSON or YAML. */
import { jsonText, yamlText } from '@muster/kubernetes-yaml';
import { withJsonEscapes } from './control-characters.ts';

/** Bigints keep all digits. */
export function objectText(object: unknown, form: 'json' | 'yaml'): string {
  return form === 'json' ? `${withJsonEscapes(jsonText(object))}\n` : yamlText(object);
}
