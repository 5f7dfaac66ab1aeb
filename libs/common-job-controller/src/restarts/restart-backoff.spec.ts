import { expect, it } from 'vitest';
import { restartDelayMs } from './restart-backoff.ts';

it('lets the first failure be made good at once, and doubles from ten seconds to five minutes', () => {
  expect([0, 1, 2, 3, 4, 5, 6, 7, 100].map((failures) => restartDelayMs(failures) / 1000)).toEqual([
    0, 0, 10, 20, 40, 80, 160, 300, 300,
  ]);
});
