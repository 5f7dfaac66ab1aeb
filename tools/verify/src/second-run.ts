/**
 * Which test files are run once more, by themselves, and what that says. A file that fails beside the others and passes
 * alone is unstable: something in it, or in what it tests, depends on time. One such file must not hide what the rest of a
 * long run has shown; more than a few mean that the run shows nothing. They are reported by name, and are to be mended.
 */
import type { TestFile } from './test-report.ts';

/** More files than this failing together share a cause, which a second run would only repeat. */
const MOST_RUN_AGAIN = 4;
const MOST_UNSTABLE = 2;

/** The files to run again. */
export function filesToRunAgain(files: readonly TestFile[]): string[] {
  const failed = files.filter((file) => file.failed > 0).map(({ path }) => path);
  return failed.length <= MOST_RUN_AGAIN ? failed : [];
}

export interface SecondRun {
  /** Each file as it was run last. */
  readonly files: readonly TestFile[];
  /** The paths of those that have failed first and passed then. */
  readonly unstable: readonly string[];
}

/** `again` are the files of the second run, of those that `first` has. */
export function secondRun(first: readonly TestFile[], again: readonly TestFile[]): SecondRun {
  const latest = new Map(again.map((file) => [file.path, file]));
  const files = first.map((file) => latest.get(file.path) ?? file);
  const isUnstable = ({ path, failed }: TestFile) => failed > 0 && latest.get(path)?.failed === 0;
  return { files, unstable: first.filter(isUnstable).map(({ path }) => path) };
}

/** Whether so many unstable files fail the run. */
export function areTooMany(unstable: readonly string[]): boolean {
  return unstable.length > MOST_UNSTABLE;
}
