import { setTimeout as sleep } from 'node:timers/promises';
import { isKubeError } from '@muster/kube';

const LIMIT_MS = 120_000;
const RETRY_MS = 250;

/** Repeats a request until it succeeds or fails for one of these reasons: the API server may be down by another fault. */
export async function retried(request: () => Promise<unknown>, ...reasons: string[]): Promise<void> {
  const limitMs = performance.now() + LIMIT_MS;
  for (;;) {
    try {
      await request();
      return;
    } catch (error) {
      if (reasons.length > 0 && isKubeError(error, ...reasons)) return;
      if (performance.now() > limitMs) throw error;
      await sleep(RETRY_MS);
    }
  }
}
