/** A kind of objects that jobs have, and how one of them is called. */
import type { KubeObject, Resource } from '@muster/job-api';
import type { Cache } from '@muster/kube';

/** One kind of objects that jobs have, and where they show. */
export interface ChildKind<T extends KubeObject = KubeObject> {
  readonly resource: Resource<T>;
  readonly cache: Cache<T>;
  /** How a name that somebody else holds is remembered; undefined where the pass fails, and is tried again later. */
  readonly takenAs?: 'pods' | 'services';
}

/** A kind of children, as far as their names go. */
export type Named<T extends KubeObject> = Pick<ChildKind<T>, 'resource' | 'takenAs'>;

export function nameOf({ metadata }: KubeObject): string {
  return metadata?.name ?? '';
}
