/** The read interface of a watch cache. Cached objects are shared and must not be changed (tests freeze them). */
import type { KubeObject } from '@muster/job-api';

/** `namespace/name`, or `name` for cluster-scoped objects. */
export type CacheKey = string;

export interface CacheHandler<T> {
  added?(object: T): void;
  /** Called only if the resourceVersion differs. */
  updated?(before: T, after: T): void;
  deleted?(object: T): void;
}

export interface Cache<T extends KubeObject> {
  get(key: CacheKey): T | undefined;
  list(): readonly T[];
  /** Objects with this index value; in constant time. */
  byIndex(index: string, value: string): readonly T[];
  /** Calls `added` for objects that are already cached. Returns the function that unsubscribes. */
  subscribe(handler: CacheHandler<T>): () => void;
}

export function cacheKey(object: KubeObject): CacheKey {
  const { namespace, name } = object.metadata ?? {};
  return namespace === undefined ? (name ?? '') : `${namespace}/${name}`;
}
