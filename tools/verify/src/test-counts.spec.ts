import { describe, expect, it } from 'vitest';
import { countsLine, countsOf, NO_TESTS, sum } from './test-counts.ts';

const report = (passed: number, failed: number, pending: number, files: object[] = []) =>
  JSON.stringify({ numPassedTests: passed, numFailedTests: failed, numPendingTests: pending, testResults: files });

describe('countsOf', () => {
  it('counts passed, failed and skipped tests', () => {
    expect(countsOf(report(3, 1, 2))).toEqual({ passed: 3, failed: 1, skipped: 2 });
  });

  it('counts a file that could not be loaded as a failure', () => {
    const files = [
      { status: 'failed', assertionResults: [] },
      { status: 'passed', assertionResults: [{}] },
    ];
    expect(countsOf(report(1, 0, 0, files)).failed).toBe(1);
  });

  it('refuses a report that is none', () => {
    expect(() => countsOf('{}')).toThrow();
  });
});

describe('countsLine', () => {
  it('is the plain line, and names skipped tests only if there are any', () => {
    expect(countsLine(sum(NO_TESTS, countsOf(report(3, 0, 0))))).toBe('3 passed, 0 failed');
    expect(countsLine(countsOf(report(3, 1, 2)))).toBe('3 passed, 1 failed, 2 skipped');
  });
});
