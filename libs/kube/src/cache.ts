/**
 * What a reader of a watch cache sees. `informer.ts` fills it; the engine and the controllers read it.
 *
 * Objects that come out of a cache are shared: never change one (in tests they are deeply frozen).
 */
import type { KubeObject } from '@muster/job-api';

/** `namespace/name`, or `name` for cluster-scoped objects. */
export type CacheKey = string;

export interface CacheHandler<T> {
  added?(object: T): void;
  /** Called only when the resourceVersion differs. */
  updated?(before: T, after: T): void;
  /** With the last state that is known. */
  deleted?(object: T): void;
}

export interface Cache<T extends KubeObject> {
  get(key: CacheKey): T | undefined;
  list(): readonly T[];
  /** Objects for which the index function gave `value`; in constant time. */
  byIndex(index: string, value: string): readonly T[];
  /** Handlers of objects that are already there are called with `added`. Returns the way to take it off again. */
  subscribe(handler: CacheHandler<T>): () => void;
}

export function cacheKey(object: KubeObject): CacheKey {
  const { namespace, name } = object.metadata ?? {};
  return namespace === undefined ? (name ?? '') : `${namespace}/${name}`;
}
