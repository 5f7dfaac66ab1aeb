/** `values.schema.json`, by which Helm validates values before it renders a chart. */
import type { ValueSchema } from '../values/chart-values.ts';

export function valuesSchemaFile(schema: ValueSchema): string {
  const properties = {
    ...schema.properties,
    enabled: { type: 'boolean', description: 'Let the umbrella chart muster install this framework.' },
    global: {
      type: 'object',
      description: 'Values that an umbrella chart passes to all its charts.',
      properties: {
        imageRegistry: { type: 'string', description: 'Registry of all images, prepended to image.repository.' },
      },
    },
  };
  return `${JSON.stringify({ ...schema, properties }, withoutFlags, 2)}\n`;
}

/** `flag` is not part of JSON Schema. A property named `flag` is an object, and is kept. */
function withoutFlags(key: string, value: unknown): unknown {
  return key === 'flag' && typeof value === 'string' ? undefined : value;
}
