/**
 * Runs failed test files a second time. Whole files, not single tests (vitest's `retry`): many tests create objects with fixed names in a
 * namespace of their file, so a retry finds the objects of the first attempt. Of 92 tests that were made to fail once, 20 failed again at
 * their retry: "already exists".
 *
 * A test that passes only on its second run is flaky. The run continues, names it and counts it (`flaky-tests.ts`).
 */
import type { TestFile } from './test-report.ts';

/** More failed files than this have a common cause that a second run would only repeat. */
const MOST_RUN_AGAIN = 4;
/** More flaky files than this fail the run: its result is not reliable. */
const MOST_FLAKY_FILES = 2;

/** The files to run again. */
export function filesToRunAgain(files: readonly TestFile[]): string[] {
  const failed = files.filter((file) => file.failed > 0).map(({ path }) => path);
  return failed.length <= MOST_RUN_AGAIN ? failed : [];
}

export interface SecondRun {
  /** The last result of each file. */
  readonly files: readonly TestFile[];
  /** Tests that failed first and then passed: `<path> > <name of the test>`, or the path alone if the file failed outside its tests. */
  readonly flaky: readonly string[];
}

/** `again` are the results of the second run, for some files of `first`. */
export function secondRun(first: readonly TestFile[], again: readonly TestFile[]): SecondRun {
  const latest = new Map(again.map((file) => [file.path, file]));
  const files = first.map((file) => latest.get(file.path) ?? file);
  const isFlaky = ({ path, failed }: TestFile) => failed > 0 && latest.get(path)?.failed === 0;
  return { files, flaky: first.filter(isFlaky).flatMap(testsOf) };
}

function testsOf({ path, failures }: TestFile): string[] {
  return failures.length === 0 ? [path] : failures.map((name) => `${path} > ${name}`);
}

/** Whether so many files are flaky that the run fails. */
export function areTooMany(flaky: readonly string[]): boolean {
  return new Set(flaky.map((test) => test.split(' > ')[0])).size > MOST_FLAKY_FILES;
}
