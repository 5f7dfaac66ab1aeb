import { describe, expect, it } from 'vitest';
import { countsLine, filesOf, sum } from './test-report.ts';

const file = (name: string, status: string, ...tests: string[]) => ({
  name,
  status,
  assertionResults: tests.map((each, index) => ({ fullName: `test ${index}`, status: each })),
});

const read = (...files: object[]) => filesOf(JSON.stringify({ testResults: files }), '/clone');

describe('filesOf', () => {
  it('counts the tests of each file, and names the failed ones', () => {
    expect(
      read(
        file('/clone/libs/a.spec.ts', 'passed', 'passed', 'passed', 'skipped', 'todo'),
        file('/clone/libs/b.spec.ts', 'failed', 'failed', 'passed'),
      ),
    ).toEqual([
      { path: 'libs/a.spec.ts', passed: 2, failed: 0, skipped: 2, failures: [] },
      { path: 'libs/b.spec.ts', passed: 1, failed: 1, skipped: 0, failures: ['test 0'] },
    ]);
  });

  it.each([
    ['could not be loaded', [], 0],
    ['failed after its tests', ['passed'], 1],
  ])('counts a file that %s as a failure', (_what, tests, passed) => {
    expect(read(file('/clone/a.spec.ts', 'failed', ...tests))).toEqual([
      { path: 'a.spec.ts', passed, failed: 1, skipped: 0, failures: [] },
    ]);
  });

  it('rejects a text that is not a report', () => {
    expect(() => filesOf('{}', '/clone')).toThrow();
  });
});

describe('countsLine', () => {
  it('names skipped tests only if there are any', () => {
    const passed = read(file('a', 'passed', 'passed', 'passed'));
    expect(countsLine(sum(passed))).toBe('2 passed, 0 failed');
    expect(countsLine(sum([...passed, ...read(file('b', 'failed', 'failed', 'skipped'))]))).toBe(
      '2 passed, 1 failed, 1 skipped',
    );
  });
});
