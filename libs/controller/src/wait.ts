import type { Clock } from './clock.ts';

/** Resolves after `delayMs`, or at once when `signal` is aborted; the caller checks the signal. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve();
      return;
    }
    const wake = (): void => {
      cancel();
      signal?.removeEventListener('abort', wake);
      resolve();
    };
    const cancel = clock.setTimer(delayMs, wake);
    signal?.addEventListener('abort', wake, { once: true });
  });
}

/** Returns whether `promise` was fulfilled within `limitMs`. A rejection within the limit is thrown. */
export async function settlesWithin(clock: Clock, promise: Promise<unknown>, limitMs: number): Promise<boolean> {
  const limit = new AbortController();
  try {
    return await Promise.race([promise.then(() => true), sleep(clock, limitMs, limit.signal).then(() => false)]);
  } finally {
    limit.abort();
  }
}
