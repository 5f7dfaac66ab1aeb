import type { JobWarning } from '../contract/facets.ts';
import type { PlannedEvent } from '../model/event.ts';

export function jobWarnings(warnings: readonly JobWarning[] = [], action: string): PlannedEvent[] {
  return warnings.map(({ type = 'Warning', reason, note }) => ({ type, reason, note, action, dedupKey: note }));
}
