/** For one object, the text of the event is that of kubeflow/training-operator. */
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

/** Names of the first and each further kind that certainly fit into an event, 1 kB. */
const MOST_NAMES = 10;
const MOST_NAMES_BESIDE = 3;

/** Sorts worker 2 before worker 10. */
const BY_NUMBER = new Intl.Collator('en', { numeric: true });

export function doneReason(verb: DoneVerb, { kind }: Resource): string {
  return verb === 'Adopt' || verb === 'Release' ? `${PAST[verb]}${kind}` : `Successful${verb}${kind}`;
}

export interface Done {
  readonly verb: DoneVerb;
  readonly resource: Resource;
  readonly names: readonly string[];
}

type Objects = Pick<Done, 'resource' | 'names'>;

/**
 * Pods, and each kind of workloads, have their own event. Other objects with the same verb are added to the first of
 * these, or share one, because an event costs as much as any other write.
 */
export function eventsOf(done: readonly Done[]): (Omit<Done, 'names'> & { readonly objects: readonly Objects[] })[] {
  return [...Map.groupBy(done, ({ verb }) => verb).values()].flatMap((same) => {
    const byThemselves = same
      .filter(({ resource }) => resource === PODS || isWorkload(resource))
      .toSorted((a, b) => Number(b.resource === PODS) - Number(a.resource === PODS));
    const others = same.filter((each) => !byThemselves.includes(each));
    const [first, ...more] = byThemselves.length > 0 ? byThemselves : others.splice(0, 1);
    if (first === undefined) return [];
    return [{ ...first, objects: [first, ...others] }, ...more.map((each) => ({ ...each, objects: [each] }))];
  });
}

/** Independent of the order of names, so that equal events are aggregated. */
export function doneNote(verb: DoneVerb, objects: readonly Objects[]): string {
  return `${PAST[verb]} ${objects.map((each, index) => format(each, index === 0 ? MOST_NAMES : MOST_NAMES_BESIDE)).join('; ')}`;
}

function format({ resource: { kind, plural }, names }: Objects, most: number): string {
  const sorted = names.toSorted(BY_NUMBER.compare);
  const shown = sorted.slice(0, most).join(', ');
  const more = names.length > most ? ` and ${names.length - most} more` : '';
  const what = names.length === 1 ? kind.toLowerCase() : `${names.length} ${plural}`;
  return `${what}: ${shown}${more}`;
}
