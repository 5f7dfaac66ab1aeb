/** Each row that a comparison in shadow mode names is in a page of differences, so that an administrator finds it there. */
import { readdirSync, readFileSync } from 'node:fs';
import { DIFFERENCES_OF_EVERY_KIND } from '@muster/shadow';
import { FRAMEWORKS, type FrameworkName } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { adaptersOf } from '../../test-support/framework-adapters.ts';

const PAGES = new URL('../../../../docs/administrators/differences/', import.meta.url);

/** `every-kind: Services`, for each row of each table. */
function rowsOfPages(): string[] {
  return readdirSync(PAGES).flatMap((file) => {
    const lines = readFileSync(new URL(file, PAGES), 'utf8').split('\n');
    const rows = lines.flatMap((line) => /^\| (.*?) *(?<!\\)\|/.exec(line)?.[1] ?? []);
    return rows.map((what) => `${file.replace(/\.md$/, '')}: ${what}`);
  });
}

const adapters = (Object.keys(FRAMEWORKS) as FrameworkName[]).flatMap((framework) => adaptersOf(framework));

describe('the documented differences of', () => {
  const rows = rowsOfPages();

  it.each([
    { kind: 'every kind', documented: DIFFERENCES_OF_EVERY_KIND },
    ...adapters.map(({ resource, documented = [] }) => ({ kind: resource.kind, documented })),
  ])('$kind are rows of the pages, each exactly once', ({ documented }) => {
    const wrong = documented.filter(({ row }) => rows.filter((each) => each === row).length !== 1);
    expect(wrong.map(({ row }) => row)).toEqual([]);
  });
});
