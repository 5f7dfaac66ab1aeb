import { expect, it } from 'vitest';
import { initializingTimeoutMs } from './initializing-timeout.ts';

it.each([
  [undefined, undefined],
  ['', undefined],
  ['600', 600_000],
  ['10m', 600_000],
  ['1h30m', 5_400_000],
  ['1.5s', 1500],
  ['250ms', 250],
])('the timeout "%s" is %s ms', (value, expected) => {
  expect(initializingTimeoutMs(value)).toBe(expected);
});

it.each(['0', '0s', '-5m', '10 minutes', 'soon', '5d'])('the timeout "%s" is invalid', (value) => {
  expect(initializingTimeoutMs(value)).toBeNaN();
});
