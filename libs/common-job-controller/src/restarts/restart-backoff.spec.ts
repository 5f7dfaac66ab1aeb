import { expect, it } from 'vitest';
import { at, NOW } from '../../test-support/plain-pod.ts';
import { failedAgain, restartDelayMs } from './restart-backoff.ts';

it('lets the first failure be made good at once, and doubles from ten seconds to five minutes', () => {
  expect([0, 1, 2, 3, 4, 5, 6, 7, 1_000_000].map((failures) => restartDelayMs(failures) / 1000)).toEqual([
    0, 0, 10, 20, 40, 80, 160, 300, 300,
  ]);
});

it('counts failures in a row until a program has run for ten minutes, and dates those that have to wait', () => {
  const MINUTE = 60_000;
  expect(failedAgain(0, 0, NOW)).toStrictEqual({ failures: 1 });
  expect(failedAgain(1, 10 * MINUTE - 1, NOW)).toStrictEqual({ failures: 2, lastFailureTime: at(0) });
  expect(failedAgain(7, 10 * MINUTE, NOW)).toStrictEqual({ failures: 1 });
  expect(failedAgain(0, 0, NOW, 5)).toStrictEqual({ failures: 1, lastFailureTime: at(0), delaySeconds: 5 });
});
