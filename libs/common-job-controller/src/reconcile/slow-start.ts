/**
 * Many writes of one kind, in parallel but carefully: one more may be under way with each that succeeds, so that their number
 * doubles with each round trip, as in the ReplicaSet controller. What fails for all (a quota, a refused template) so costs
 * two requests and not a thousand.
 */

/** Two, where the ReplicaSet controller begins with one: a small job's Services, and its pods, are made in one round trip each. */
const FIRST_UNDER_WAY = 2;

/**
 * The most that are under way for one job. The API server is kept busy with these, and as many connections stay free: what a small
 * job writes does not wait behind the thousands of a large one.
 */
const MOST_UNDER_WAY = 16;

/**
 * Calls `write` for each of `items`, in their order. Begins no other after one has failed, and throws the first failure when all that
 * are under way have ended. Before each it asks `mayGoOn`, and begins no other when that says no.
 * When it returns or throws, nothing is under way any more.
 */
export async function slowStart<T>(
  items: readonly T[],
  mayGoOn: () => boolean,
  write: (item: T) => Promise<void>,
): Promise<void> {
  const underWay = new Set<Promise<void>>();
  const failures: unknown[] = [];
  let limit = FIRST_UNDER_WAY;
  const begin = async (item: T): Promise<void> => {
    try {
      await write(item);
      limit = Math.min(limit + 1, MOST_UNDER_WAY);
    } catch (error) {
      failures.push(error);
    }
  };
  try {
    for (const item of items) {
      while (underWay.size >= limit) await Promise.race(underWay);
      if (failures.length > 0 || !mayGoOn()) break;
      const writing = begin(item).finally(() => underWay.delete(writing));
      underWay.add(writing);
    }
  } finally {
    await Promise.all(underWay);
  }
  if (failures.length > 0) throw failures[0];
}
