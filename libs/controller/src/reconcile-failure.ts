/**
 * What a thrown error means for the key that was being reconciled.
 *
 * - `terminal`: a `TerminalError`; do not try again.
 * - `conflict`: somebody else wrote the object first. That is normal: try again with what is stored now.
 * - `transient`: everything else, an outage as well as a bug; try again, later each time.
 *
 * Causes are followed, since layers add context by wrapping. Of several errors (parallel writes) the one that needs
 * most attention decides: one transient failure among conflicts is a failure, and one conflict among terminal errors
 * is reason enough to look again.
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
