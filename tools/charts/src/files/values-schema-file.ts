/** `values.schema.json`: what Helm checks values by before it renders a chart. */
import type { ValueSchema } from '../values/chart-values.ts';

export function valuesSchemaFile(schema: ValueSchema): string {
  const properties = {
    ...schema.properties,
    enabled: { type: 'boolean', description: 'Whether the umbrella chart muster installs this framework.' },
    global: {
      type: 'object',
      description: 'What an umbrella chart hands to all its charts.',
      properties: {
        imageRegistry: { type: 'string', description: 'Registry of all images, in front of image.repository.' },
      },
    },
  };
  return `${JSON.stringify({ ...schema, properties }, withoutFlags, 2)}\n`;
}

/** The operator's flags are no words of JSON Schema; a property may be called so all the same, and is an object then. */
function withoutFlags(key: string, value: unknown): unknown {
  return key === 'flag' && typeof value === 'string' ? undefined : value;
}
