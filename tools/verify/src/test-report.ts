/** Results of the test runners by file, so that the last lines of a run name what ran and what failed. */
import { isAbsolute, relative } from 'node:path';
import { z } from 'zod';

export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const NO_TESTS: TestCounts = { passed: 0, failed: 0, skipped: 0 };

/** The last result of one test file. */
export interface TestFile extends TestCounts {
  /** Relative to the root of the workspace. */
  readonly path: string;
  /** Full names (describe blocks and test) of the failed tests; empty if the file failed outside its tests. */
  readonly failures: readonly string[];
}

/** The fields that are read of vitest's JSON report (Jest's format). */
const reportSchema = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
    }),
  ),
});

/** The files of a report. Throws if the text is not a report. */
export function filesOf(report: string, root: string): TestFile[] {
  return reportSchema.parse(JSON.parse(report)).testResults.map(({ name, status, assertionResults }) => {
    const named = (wanted: string) => assertionResults.filter((test) => test.status === wanted);
    const failures = named('failed').map(({ fullName }) => fullName);
    const passed = named('passed').length;
    return {
      path: isAbsolute(name) ? relative(root, name) : name,
      passed,
      // A file that cannot be loaded, or that fails in a hook, fails without a failed test.
      failed: status === 'failed' ? Math.max(1, failures.length) : failures.length,
      skipped: assertionResults.length - passed - failures.length,
      failures,
    };
  });
}

export function sum(counts: readonly TestCounts[]): TestCounts {
  return counts.reduce(
    (total, { passed, failed, skipped }) => ({
      passed: total.passed + passed,
      failed: total.failed + failed,
      skipped: total.skipped + skipped,
    }),
    NO_TESTS,
  );
}

/** `3 passed, 0 failed`, followed by `, 1 skipped` if tests were skipped. */
export function countsLine({ passed, failed, skipped }: TestCounts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
