/** What a framework reports of a job, each once. */
import type { JobWarning } from '../contract/facets.ts';
import type { PlannedEvent } from '../model/event.ts';

export function jobWarnings(
  warnings: readonly JobWarning[] = [],
  told: ReadonlySet<string>,
  action: string,
): PlannedEvent[] {
  return warnings
    .filter(({ note }) => !told.has(note))
    .map(({ reason, note }) => ({ type: 'Warning', reason, note, action, dedupKey: note }));
}
