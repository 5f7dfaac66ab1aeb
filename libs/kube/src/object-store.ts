/** Indexed objects of a cache. The cost of a change depends on the object's index values only. */
import type { KubeObject } from '@muster/job-api';
import { cacheKey, type CacheKey } from './cache.ts';

export type Indexes<T> = Readonly<Record<string, (object: T) => readonly string[]>>;

export class ObjectStore<T extends KubeObject> {
  readonly #objects = new Map<CacheKey, T>();
  readonly #indexes: { readonly of: (object: T) => readonly string[]; readonly keys: Map<string, Set<CacheKey>> }[] =
    [];
  readonly #indexByName = new Map<string, Map<string, Set<CacheKey>>>();
  #listed: readonly T[] | undefined;

  constructor(indexes: Indexes<T>) {
    for (const [name, of] of Object.entries(indexes)) {
      const keys = new Map<string, Set<CacheKey>>();
      this.#indexes.push({ of, keys });
      this.#indexByName.set(name, keys);
    }
  }

  get(key: CacheKey): T | undefined {
    return this.#objects.get(key);
  }

  list(): readonly T[] {
    return (this.#listed ??= [...this.#objects.values()]);
  }

  keys(): MapIterator<CacheKey> {
    return this.#objects.keys();
  }

  byIndex(index: string, value: string): readonly T[] {
    const keys = this.#indexByName.get(index);
    if (keys === undefined) throw new Error(`No index "${index}": name it in the informer's \`indexes\`.`);
    return Array.from(keys.get(value) ?? [], (key) => this.#objects.get(key)!);
  }

  set(object: T): T | undefined {
    const key = cacheKey(object);
    const before = this.#remove(key);
    this.#objects.set(key, object);
    for (const { of, keys } of this.#indexes) {
      for (const value of of(object)) {
        const bucket = keys.get(value);
        if (bucket === undefined) keys.set(value, new Set([key]));
        else bucket.add(key);
      }
    }
    return before;
  }

  delete(key: CacheKey): T | undefined {
    const before = this.#remove(key);
    this.#objects.delete(key);
    return before;
  }

  #remove(key: CacheKey): T | undefined {
    this.#listed = undefined;
    const before = this.#objects.get(key);
    if (before === undefined) return undefined;
    for (const { of, keys } of this.#indexes) {
      for (const value of of(before)) {
        const bucket = keys.get(value);
        bucket?.delete(key);
        if (bucket?.size === 0) keys.delete(value);
      }
    }
    return before;
  }
}
