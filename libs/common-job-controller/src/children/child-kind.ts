/** A kind of objects that jobs have, and how one of them is called. */
import type { KubeObject, Resource } from '@muster/job-api';
import type { Cache } from '@muster/kube';
import type { OwnedKind } from '../model/owned-resources.ts';

/** One kind of objects that jobs have, and where they show. */
export interface ChildKind<T extends KubeObject = KubeObject> {
  readonly resource: Resource<T>;
  readonly cache: Cache<T>;
  /** How names that somebody else holds are remembered, where it is done one by one. */
  readonly takenAs?: 'pods' | 'services';
  /** Whether a job can run without it. Default: it cannot. */
  readonly isOptional?: boolean;
  /** What to change in the job when validation refuses one for this cause. */
  readonly hintOn?: OwnedKind['hintOn'];
}

/** A kind of children, as far as their names go. */
export type Named<T extends KubeObject> = Pick<ChildKind<T>, 'resource' | 'takenAs' | 'isOptional' | 'hintOn'>;

export function nameOf({ metadata }: KubeObject): string {
  return metadata?.name ?? '';
}
