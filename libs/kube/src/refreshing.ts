/** A cached value that expires. Concurrent calls share one load. */
export interface Refreshing<V> {
  get(): Promise<V>;
  forget(): void;
}

/** A projected token lives for an hour and is replaced minutes before it expires. */
const REFRESH_MS = 10_000;

/** Not by the wall clock: set back by an hour, it would keep a token that expires meanwhile. */
const nowMs = (): number => performance.now();

/** @param load is called again after 10 seconds */
export function createRefreshing<V>(load: () => Promise<V>): Refreshing<V> {
  let current: { promise: Promise<V>; validUntilMs: number } | undefined;
  return {
    get() {
      if (current !== undefined && nowMs() < current.validUntilMs) return current.promise;
      // Valid while it loads; a failure is not cached.
      const entry = { validUntilMs: Infinity, promise: Promise.resolve() as Promise<unknown> as Promise<V> };
      entry.promise = load().then(
        (loaded) => {
          entry.validUntilMs = nowMs() + REFRESH_MS;
          return loaded;
        },
        (error: unknown) => {
          entry.validUntilMs = -Infinity;
          throw error;
        },
      );
      current = entry;
      return entry.promise;
    },
    forget() {
      // A load in progress is recent enough.
      if (current !== undefined && current.validUntilMs !== Infinity) current = undefined;
    },
  };
}
