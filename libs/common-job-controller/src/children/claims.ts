/** Sorts objects with a job's labels by their owner. */
import type { KubeObject } from '@muster/job-api';
import type { TrainingJob } from '../model/training-job.ts';
import { isControlledBy, isFromEarlierJob, ownershipOf, nameConflictMessage } from '../model/ownership.ts';
import { nameOf } from './child-kind.ts';

export interface Claims<T> {
  readonly owned: readonly T[];
  /** Without a controller, but with the name of a child of the job: they are adopted. */
  readonly orphans: readonly T[];
  /** Names held by objects that are about to be deleted. */
  readonly staleNames: ReadonlySet<string>;
  /** Names held permanently, each with a message that names the owner. */
  readonly taken: ReadonlyMap<string, string>;
}

export function claims<T extends KubeObject>(
  job: TrainingJob,
  objects: readonly T[],
  { kind, taken }: { readonly kind: string; readonly taken: ReadonlyMap<string, string> },
  isChild: (object: T) => boolean,
): Claims<T> {
  const byOwnership = Object.groupBy(objects, (each) => ownershipOf(each, job.metadata.uid));
  const { owned = [], orphan = [], foreign = [] } = byOwnership;
  const orphans = orphan.filter(isChild);
  const isStale = (object: T) => isFromEarlierJob(object, job);
  const others = foreign.filter((object) => !isStale(object));
  return {
    owned,
    orphans: orphans.filter(isStaying),
    staleNames: namesOf([...foreign.filter(isStale), ...orphans.filter((object) => !isStaying(object))]),
    taken: new Map([...others.map((object) => [nameOf(object), nameConflictMessage(kind, object)] as const), ...taken]),
  };
}

export function isFree({ staleNames, taken }: Claims<unknown>, name: string): boolean {
  return !staleNames.has(name) && !taken.has(name);
}

/** The job's own objects that are not being deleted. */
export function stayingOf<T extends KubeObject>(job: Pick<TrainingJob, 'metadata'>, objects: readonly T[]): T[] {
  return objects.filter((object) => isControlledBy(job.metadata.uid, object) && isStaying(object));
}

export function isStaying({ metadata }: KubeObject): boolean {
  return metadata?.deletionTimestamp === undefined;
}

export function namesOf(objects: readonly KubeObject[]): Set<string> {
  return new Set(objects.map(nameOf));
}
