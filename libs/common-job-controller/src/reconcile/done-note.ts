/** For one object, the text of the event is that of kubeflow/training-operator. */
import { PODS, type Resource } from '@muster/job-api';
import type { PlannedEvent } from '../model/event.ts';
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

export interface Done {
  readonly verb: DoneVerb;
  readonly resource: Resource;
  readonly names: readonly string[];
}

/**
 * Pods, and each kind of workloads, have their own event. Other objects with the same verb are added to the first of
 * these, or share one, because an event costs as much as any other write.
 */
export function doneEvents(done: readonly Done[]): PlannedEvent[] {
  return [...Map.groupBy(done, ({ verb }) => verb).values()].flatMap((same) => {
    const byThemselves = same
      .filter(({ resource }) => resource === PODS || isWorkload(resource))
      .toSorted((a, b) => Number(b.resource === PODS) - Number(a.resource === PODS));
    const others = same.filter((each) => !byThemselves.includes(each));
    const [first, ...more] = byThemselves.length > 0 ? byThemselves : others.splice(0, 1);
    return first === undefined ? [] : [doneEvent(first, others), ...more.map((each) => doneEvent(each))];
  });
}

/** The note is independent of the order of names, so that equal events are aggregated. */
function doneEvent(first: Done, others: readonly Done[] = []): PlannedEvent {
  const { verb, resource } = first;
  const isOfOwner = verb === 'Adopt' || verb === 'Release';
  const objects = [format(first, MOST_NAMES), ...others.map((each) => format(each, MOST_NAMES_BESIDE))];
  return {
    type: 'Normal',
    reason: isOfOwner ? `${PAST[verb]}${resource.kind}` : `Successful${verb}${resource.kind}`,
    action: `${verb}${resource.kind}`,
    note: `${PAST[verb]} ${objects.join('; ')}`,
  };
}

function format({ resource: { kind, plural }, names }: Done, most: number): string {
  const sorted = names.toSorted(BY_NUMBER.compare);
  const shown = sorted.slice(0, most).join(', ');
  const more = names.length > most ? ` and ${names.length - most} more` : '';
  const what = names.length === 1 ? kind.toLowerCase() : `${names.length} ${plural}`;
  return `${what}: ${shown}${more}`;
}
