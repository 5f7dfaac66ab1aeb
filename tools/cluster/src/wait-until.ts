import { setTimeout as delay } from 'node:timers/promises';
import { ClusterError } from './cluster-error.ts';

export interface WaitOptions {
  /** What is waited for, in the sentence "Timed out after N s waiting for …". */
  what: string;
  limitMs: number;
  intervalMs?: number;
  signal?: AbortSignal | undefined;
}

/**
 * Calls `answer` repeatedly until it returns `undefined`. Any other value says what is still missing, and becomes part of the ClusterError
 * that is thrown after the limit. An abort rejects with its reason.
 */
export async function waitUntil(
  missing: () => Promise<string | undefined> | string | undefined,
  options: WaitOptions,
): Promise<void> {
  const deadline = Date.now() + options.limitMs;
  for (;;) {
    options.signal?.throwIfAborted();
    const answer = await missing();
    if (answer === undefined) return;
    if (Date.now() > deadline) {
      throw new ClusterError(
        `Timed out after ${Math.round(options.limitMs / 1000)} s waiting for ${options.what}: ${answer}`,
      );
    }
    await delay(options.intervalMs ?? 50);
  }
}
