/** What the test runners report, by file, so that the last lines of a run say what was really run. */
import { isAbsolute, relative } from 'node:path';
import { z } from 'zod';

export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const NO_TESTS: TestCounts = { passed: 0, failed: 0, skipped: 0 };

/** One file of tests, as it was run last. */
export interface TestFile extends TestCounts {
  /** Relative to the root of the workspace. */
  readonly path: string;
}

/** The part of vitest's JSON report (Jest's format) that is read. */
const reportSchema = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      assertionResults: z.array(z.object({ status: z.string() })),
    }),
  ),
});

/** The files of a report; throws on what is none. */
export function filesOf(report: string, root: string): TestFile[] {
  return reportSchema.parse(JSON.parse(report)).testResults.map(({ name, status, assertionResults }) => {
    const count = (wanted: string) => assertionResults.filter((test) => test.status === wanted).length;
    const [passed, failed] = [count('passed'), count('failed')];
    return {
      path: isAbsolute(name) ? relative(root, name) : name,
      passed,
      // Its tests may all have passed, or none was run: it could not be loaded, or failed before or after them.
      failed: status === 'failed' ? Math.max(1, failed) : failed,
      skipped: assertionResults.length - passed - failed,
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

/** `3 passed, 0 failed`, with what was skipped if anything was. */
export function countsLine({ passed, failed, skipped }: TestCounts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
