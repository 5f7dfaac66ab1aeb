/** An error as fields of a log line: its message with those of its causes and, unless the API server sent it, where. */
import { isKubeError } from '@muster/kube';

export function errorFields(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: String(error) };
  const fields: Record<string, unknown> = { error: describe(error) };
  if (!isKubeError(error) && error.stack !== undefined) fields['stack'] = error.stack;
  return fields;
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const parts = error instanceof AggregateError ? error.errors : error.cause === undefined ? [] : [error.cause];
  return [error.message, ...parts.map(describe)].join(': ');
}
