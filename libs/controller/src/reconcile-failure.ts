/**
 * Classifies the error of a reconcile.
 *
 * - `terminal`: a `TerminalError`; not retried.
 * - `conflict`: another client wrote the object first; retried with the stored version.
 * - `transient`: everything else, outages and bugs; retried with back-off.
 *
 * Causes are followed. Of several errors (parallel writes) a transient one precedes conflicts, and a conflict precedes
 * terminal ones.
 */
import { isKubeError } from '@muster/kube';
import { TerminalError } from './terminal-error.ts';

export type ReconcileFailure = 'terminal' | 'conflict' | 'transient';

const DECIDING_FIRST: ReconcileFailure[] = ['transient', 'conflict', 'terminal'];

export function classifyFailure(error: unknown): ReconcileFailure {
  if (error instanceof TerminalError) return 'terminal';
  if (isKubeError(error, 'Conflict')) return 'conflict';
  if (error instanceof AggregateError) {
    const kinds = new Set(error.errors.map(classifyFailure));
    return DECIDING_FIRST.find((kind) => kinds.has(kind)) ?? 'transient';
  }
  if (error instanceof Error && error.cause !== undefined) return classifyFailure(error.cause);
  return 'transient';
}
