/** An object as JSON or YAML, as it is written into files. */
import { jsonText, yamlText } from '@muster/kubernetes-yaml';
import { withJsonEscapes } from './control-characters.ts';

/** Bigints have all of their digits. */
export function objectText(object: unknown, form: 'json' | 'yaml'): string {
  return form === 'json' ? `${withJsonEscapes(jsonText(object))}\n` : yamlText(object);
}
