import type { JobWarning } from '../contract/facets.ts';
import type { PlannedEvent } from '../model/event.ts';

export function jobWarnings(warnings: readonly JobWarning[] = [], action: string): PlannedEvent[] {
  return warnings.map(({ reason, note }) => ({ type: 'Warning', reason, note, action, dedupKey: note }));
}
