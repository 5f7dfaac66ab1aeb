import { describe, expect, it } from 'vitest';
import { formatValue } from './unit.ts';

const NOW_MS = Date.UTC(2026, 10, 22, 12);

describe('a value', () => {
  it.each([
    [3, 'short', '3'],
    [1234, 'short', '1.23 K'],
    [0.01234, 'short', '0.0123'],
    [0, 's', '0 s'],
    [0.0042, 's', '4.2 ms'],
    [90, 's', '1.5 min'],
    [7500, 'dtdurations', '2 h 5 min'],
    [1500, 'ms', '1.5 s'],
    [0.256, 'percentunit', '25.6%'],
    [100, 'percent', '100%'],
    [134_217_728, 'bytes', '128 MiB'],
    [1023, 'bytes', '1023 B'],
    [1024, 'bytes', '1 KiB'],
    [2_000_000, 'decbytes', '2 MB'],
    [12.5, 'reqps', '12.5 req/s'],
    [NOW_MS - 3 * 60_000, 'dateTimeFromNow', '3 min ago'],
    [5, 'suffix:pods', '5 pods'],
    [5, 'furlong', '5 furlong'],
    [NaN, 'short', 'NaN'],
    [Infinity, 's', '∞'],
  ])('%s in %s is %s', (value, unit, text) => expect(formatValue(value, { unit }, NOW_MS)).toBe(text));

  it('has the requested number of digits', () => {
    expect(formatValue(1 / 3, { unit: 'short', decimals: 1 }, NOW_MS)).toBe('0.3');
    expect(formatValue(2, { unit: 's', decimals: 0 }, NOW_MS)).toBe('2 s');
  });
});
