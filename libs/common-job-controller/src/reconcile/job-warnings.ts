import type { JobWarning } from '../contract/facets.ts';
import type { PlannedEvent } from '../model/event.ts';

export function jobWarnings(
  warnings: readonly JobWarning[] = [],
  emitted: ReadonlySet<string>,
  action: string,
): PlannedEvent[] {
  return warnings
    .filter(({ note }) => !emitted.has(note))
    .map(({ reason, note }) => ({ type: 'Warning', reason, note, action, dedupKey: note }));
}
