/**
 * Many writes of one kind, in parallel but carefully: one, then two, four, … as long as they succeed, as the ReplicaSet
 * controller does. What fails for all (a quota, a refused template) so costs one request and not a thousand.
 */

/** The largest batch: beyond that a job would only push its own writes in front of other jobs'. */
const LARGEST_BATCH = 64;

/**
 * Calls `write` for each of `items` in batches that double. Stops after the batch in which one failed, and then throws
 * the first failure; the items beyond are not begun. Before each batch it asks `mayGoOn`, and returns when that says no.
 * When it returns or throws, nothing is under way any more.
 */
export async function slowStart<T>(
  items: readonly T[],
  mayGoOn: () => boolean,
  write: (item: T) => Promise<void>,
): Promise<void> {
  let batch = 1;
  for (let done = 0; done < items.length && mayGoOn();) {
    const results = await Promise.allSettled(items.slice(done, done + batch).map(write));
    const failure = results.find((result) => result.status === 'rejected');
    if (failure !== undefined) throw failure.reason;
    done += batch;
    batch = Math.min(batch * 2, LARGEST_BATCH);
  }
}
