/** Log fields of an error: its message, those of its causes and, unless the API server sent it, the stack. */
import { isKubeError } from '@muster/kube';

export function errorFields(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: String(error) };
  const fields: Record<string, unknown> = { error: describe(error) };
  const { stack } = rootOf(error);
  if (!isKubeError(error) && stack !== undefined) fields['stack'] = stack;
  return fields;
}

/** The innermost cause has the relevant stack. */
function rootOf(error: Error): Error {
  return error.cause instanceof Error && !isKubeError(error.cause) ? rootOf(error.cause) : error;
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const parts = error instanceof AggregateError ? error.errors : error.cause === undefined ? [] : [error.cause];
  return [error.message, ...parts.map(describe)].join(': ');
}
