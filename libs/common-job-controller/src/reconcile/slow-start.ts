/**
 * Parallel writes with a slow start, like the ReplicaSet controller: each success allows one more concurrent write,
 * which doubles their number per round trip. If all would fail, e.g. because of a quota, only two requests are lost.
 */

/** The ReplicaSet controller starts with 1. With 2, the pods of a small job take one round trip. */
const FIRST_UNDER_WAY = 2;

/** Enough to use the API server well, while other connections stay free for small jobs. */
const MOST_UNDER_WAY = 16;

/**
 * Starts no write after a failure, or once `mayGoOn` returns false. When it returns, or throws the first failure, no
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
