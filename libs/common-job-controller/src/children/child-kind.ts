/** The kinds of objects that a job has. */
import type { KubeObject, Resource } from '@muster/job-api';
import type { Cache } from '@muster/kube';
import type { OwnedKind } from '../model/owned-resources.ts';

/** A kind of a job's objects, with its cache. */
export interface ChildKind<T extends KubeObject = KubeObject> {
  readonly resource: Resource<T>;
  readonly cache: Cache<T>;
  /** The record of name conflicts, for kinds that track them by name. */
  readonly takenAs?: 'pods' | 'services';
  /** True if a job can run without it. Default: false. */
  readonly isOptional?: boolean;
  /** A hint for the user when validation rejects an object for this reason. */
  readonly hintOn?: OwnedKind['hintOn'];
}

/** The part of a child kind that is needed to handle names. */
export type Named<T extends KubeObject> = Pick<ChildKind<T>, 'resource' | 'takenAs' | 'isOptional' | 'hintOn'>;

export function nameOf({ metadata }: KubeObject): string {
  return metadata?.name ?? '';
}
