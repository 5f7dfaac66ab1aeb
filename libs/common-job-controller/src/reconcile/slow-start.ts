/**
 * Runs writes of one kind in parallel with a slow start, like the ReplicaSet controller: each success allows one more
 * concurrent write, which doubles their number per round trip. If all would fail, e.g. because of a quota, only two
 * requests are lost.
 */

/**
 * The ReplicaSet controller starts with 1. With 2, the Services, and the pods, of a small job take one round trip each.
 */
const FIRST_UNDER_WAY = 2;

/**
 * The maximum of concurrent writes for one job. It is enough to use the API server well, and leaves as many connections
 * free, so that small jobs do not wait behind the thousands of writes of a large one.
 */
const MOST_UNDER_WAY = 16;

/**
 * Calls `write` for each item in order. Starts no other after a failure, or once `mayGoOn`, which is called before
 * each, returns false. Throws the first failure after all started writes have ended. When it returns or throws, no
 * write is in progress.
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
