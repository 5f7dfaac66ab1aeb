import { join } from 'node:path';
import { clustersFolder } from './cache-folders.ts';
import { withLock } from './folder-lock.ts';
import type { Progress } from './progress.ts';

/** Serializes `up` and `down` of a cluster across processes. */
export function withClusterLock<T>(
  name: string,
  progress: Progress,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const onWait = (pid: number) =>
    progress.note(`Waiting for process ${pid}, which is starting or stopping cluster "${name}".`);
  return withLock(join(clustersFolder(), `.${name}.lock`), { signal, onWait }, work);
}

/** Held only while ports and addresses are chosen and recorded, so that no two clusters choose the same. */
export function withAllocationLock<T>(work: () => Promise<T>): Promise<T> {
  return withLock(join(clustersFolder(), '.allocation.lock'), {}, work);
}
