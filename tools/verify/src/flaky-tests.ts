/**
 * The table of flaky tests, `docs/maintainers/flaky-tests.md`. A run adds a row for each test that passed only on its second run. A
 * test with three rows fails every run until it is fixed or deleted, and its rows with it.
 */
import { readFile } from 'node:fs/promises';
import { rowsOf, writePage } from './markdown-table.ts';

/** This many rows of one test fail the run. */
const FAILS_AT = 3;

/** Adds `tests` to the table. Returns the tests that have three rows or more. */
export async function recordFlakyTests(
  file: string,
  tests: readonly string[],
  run: { readonly day: string; readonly commit: string },
): Promise<string[]> {
  const page = await readFile(file, 'utf8');
  const rows = [...rowsOf(page), ...tests.map((test) => [run.day, run.commit, test])];
  if (tests.length > 0) await writePage(file, page, rows);
  const counts = Map.groupBy(rows, (cells) => cells[2] ?? '');
  return [...counts].filter(([, of]) => of.length >= FAILS_AT).map(([test]) => test);
}
