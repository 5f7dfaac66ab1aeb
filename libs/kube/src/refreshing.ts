/** A value that goes stale: loaded when asked for, kept for a while, loaded once however many ask at the same time. */
export interface Refreshing<V> {
  get(): Promise<V>;
  /** The next `get` loads anew. */
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
      // Valid as long as it is loading; a failure is not kept.
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
      // One that is still loading is new enough.
      if (current !== undefined && current.validUntilMs !== Infinity) current = undefined;
    },
  };
}
