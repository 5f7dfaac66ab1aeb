/** Waits for a condition, never for a time: returns as soon as it holds, and fails with what was there instead. */
import { setTimeout as delay } from 'node:timers/promises';

const LIMIT_MS = 30_000;
const INTERVAL_MS = 5;

/** Resolves when `holds` returns true. `state` is asked for the failure's message only. */
export async function eventually(
  what: string,
  holds: () => boolean | Promise<boolean>,
  state: () => unknown = () => 'nothing more is known',
): Promise<void> {
  const limitAt = performance.now() + LIMIT_MS;
  while (!(await holds())) {
    if (performance.now() > limitAt) {
      throw new Error(`not within ${LIMIT_MS} ms: ${what}; state: ${JSON.stringify(await state())}`);
    }
    await delay(INTERVAL_MS);
  }
}
