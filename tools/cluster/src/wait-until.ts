import { setTimeout as delay } from 'node:timers/promises';
import { ClusterError } from './cluster-error.ts';

export interface WaitOptions {
  /** Ends the sentence "... within N s". */
  what: string;
  limitMs: number;
  intervalMs?: number;
  signal?: AbortSignal | undefined;
}

/**
 * Asks again and again until the answer is `undefined`. Any other answer says what is still missing, and becomes part of
 * the ClusterError that is thrown when the limit has passed. An abort rejects with its reason.
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
        `${options.what} did not happen within ${Math.round(options.limitMs / 1000)} s: ${answer}`,
      );
    }
    await delay(options.intervalMs ?? 50);
  }
}
