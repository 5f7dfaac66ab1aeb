/** What an event says of objects that were made, changed or deleted. Of one it is what kubeflow/training-operator says. */
import { PODS, type Resource } from '@muster/job-api';
import { isWorkload } from '../workloads/workloads.ts';

export type DoneVerb = 'Create' | 'Update' | 'Delete' | 'Adopt' | 'Release';

const PAST: Readonly<Record<DoneVerb, string>> = {
  Create: 'Created',
  Update: 'Updated',
  Delete: 'Deleted',
  Adopt: 'Adopted',
  Release: 'Released',
};

/** As many of the first kind, and of others beside it, as an event surely has room for, in 1 kB. */
const MOST_NAMES = 10;
const MOST_NAMES_BESIDE = 3;

/** So that worker 2 stands before worker 10. */
const BY_NUMBER = new Intl.Collator('en', { numeric: true });

/** The reason of that event. */
export function doneReason(deed: DoneVerb, { kind }: Resource): string {
  return deed === 'Adopt' || deed === 'Release' ? `${PAST[deed]}${kind}` : `Successful${deed}${kind}`;
}

/** What was done to objects of one kind in a pass. */
export interface Done {
  readonly deed: DoneVerb;
  readonly resource: Resource;
  readonly names: readonly string[];
}

/** Objects of one kind. */
type Things = Pick<Done, 'resource' | 'names'>;

/**
 * What an event each tells of: pods, and each kind of objects that make pods. All else to which the same was done is told with the first
 * of these, or where there is none together. In a burst of jobs an event costs what any write does.
 */
export function eventsOf(done: readonly Done[]): (Omit<Done, 'names'> & { readonly things: readonly Things[] })[] {
  return [...Map.groupBy(done, ({ deed }) => deed).values()].flatMap((same) => {
    const byThemselves = same
      .filter(({ resource }) => resource === PODS || isWorkload(resource))
      .toSorted((a, b) => Number(b.resource === PODS) - Number(a.resource === PODS));
    const others = same.filter((each) => !byThemselves.includes(each));
    const [first, ...more] = byThemselves.length > 0 ? byThemselves : others.splice(0, 1);
    if (first === undefined) return [];
    return [{ ...first, things: [first, ...others] }, ...more.map((each) => ({ ...each, things: [each] }))];
  });
}

/** The same for the same names, in whatever order they come: so events that say the same are counted together. */
export function doneNote(deed: DoneVerb, things: readonly Things[]): string {
  return `${PAST[deed]} ${things.map((each, index) => inWords(each, index === 0 ? MOST_NAMES : MOST_NAMES_BESIDE)).join('; ')}`;
}

function inWords({ resource: { kind, plural }, names }: Things, most: number): string {
  const sorted = names.toSorted(BY_NUMBER.compare);
  const shown = sorted.slice(0, most).join(', ');
  const more = names.length > most ? ` and ${names.length - most} more` : '';
  const what = names.length === 1 ? kind.toLowerCase() : `${names.length} ${plural}`;
  return `${what}: ${shown}${more}`;
}
