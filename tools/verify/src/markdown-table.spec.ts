import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordFlakyTests } from './flaky-tests.ts';
import { rowsOf, withRows, writePage } from './markdown-table.ts';

const PAGE = '# Title\n\nText.\n\n| day | commit | test |\n| --- | ------ | ---- |\n\nMore text.\n';

describe('rowsOf and withRows', () => {
  it('return the rows that were written, and keep the text around the table', () => {
    const rows = [
      ['1', 'a', 'x | y'],
      ['2', 'b', 'z'],
    ];
    const page = withRows(PAGE, rows);
    expect(rowsOf(page)).toEqual(rows);
    expect(withRows(page, [])).toBe(PAGE);
  });

  it('refuses a page without a table', () => {
    expect(() => withRows('# Title\n', [])).toThrow('no table');
  });
});

describe('recordFlakyTests', () => {
  let folder = '';
  let file = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'muster-flaky-'));
    file = join(folder, 'flaky.md');
    await writePage(file, PAGE, []);
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('adds a row for each test, and returns a test with its third row', async () => {
    const run = { day: '2026-01-01', commit: 'abc' };
    expect(await recordFlakyTests(file, ['a > x', 'b > y'], run)).toEqual([]);
    expect(await recordFlakyTests(file, ['a > x'], run)).toEqual([]);
    expect(await recordFlakyTests(file, ['a > x'], run)).toEqual(['a > x']);
    expect(rowsOf(await readFile(file, 'utf8'))).toHaveLength(4);
  });

  it('returns a test with three rows also when the run had no flaky test', async () => {
    await writePage(
      file,
      PAGE,
      Array.from({ length: 3 }, () => ['2026-01-01', 'abc', 'a > x']),
    );
    expect(await recordFlakyTests(file, [], { day: '2026-01-02', commit: 'def' })).toEqual(['a > x']);
  });
});
