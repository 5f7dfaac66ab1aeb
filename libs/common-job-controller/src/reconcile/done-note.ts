/** What an event says of objects that were made, changed or deleted. Of one it is what kubeflow/training-operator says. */
import type { Resource } from '@muster/job-api';

export type Deed = 'Create' | 'Update' | 'Delete' | 'Adopt' | 'Release';

const PAST: Readonly<Record<Deed, string>> = {
  Create: 'Created',
  Update: 'Updated',
  Delete: 'Deleted',
  Adopt: 'Adopted',
  Release: 'Released',
};

/** As many as an event surely has room for, in 1 kB. */
const MOST_NAMES = 10;

/** So that worker 2 stands before worker 10. */
const BY_NUMBER = new Intl.Collator('en', { numeric: true });

/** The reason of that event. */
export function doneReason(deed: Deed, { kind }: Resource): string {
  return deed === 'Adopt' || deed === 'Release' ? `${PAST[deed]}${kind}` : `Successful${deed}${kind}`;
}

/** The same for the same names, in whatever order they come: so events that say the same are counted together. */
export function doneNote(deed: Deed, { kind, plural }: Resource, names: readonly string[]): string {
  const sorted = names.toSorted(BY_NUMBER.compare);
  const shown = sorted.slice(0, MOST_NAMES).join(', ');
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
  const what = names.length === 1 ? kind.toLowerCase() : `${names.length} ${plural}`;
  return `${PAST[deed]} ${what}: ${shown}${more}`;
}
