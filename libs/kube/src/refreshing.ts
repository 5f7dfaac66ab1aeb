/** A cached value that expires. Concurrent calls share one load. */
export interface Refreshing<V> {
  get(): Promise<V>;
  forget(): void;
}

export function createRefreshing<V>(
  load: () => Promise<{ value: V; validUntilMs: number }>,
  nowMs: () => number = Date.now,
): Refreshing<V> {
  let current: { promise: Promise<V>; validUntilMs: number } | undefined;
  return {
    get() {
      if (current !== undefined && nowMs() < current.validUntilMs) return current.promise;
      // Valid while it loads; a failure is not cached.
      const entry = { validUntilMs: Infinity, promise: Promise.resolve() as Promise<unknown> as Promise<V> };
      entry.promise = load().then(
        (loaded) => {
          entry.validUntilMs = loaded.validUntilMs;
          return loaded.value;
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
