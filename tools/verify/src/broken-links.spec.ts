import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { brokenLinks } from './broken-links.ts';

/** Put together below, so that this file itself names no page that is not there. */
const DOCS = 'docs';

async function folderOf(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-links-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

describe("the project's pages", () => {
  it('lead somewhere with every link and anchor, and are named by the names that they have', () => {
    expect(brokenLinks(join(import.meta.dirname, '../../..'))).toEqual([]);
  });
});

describe('brokenLinks', () => {
  it('are links to files that are not there, from the page on', async () => {
    const folder = await folderOf({
      'pages/a.md': '# A\n\n[b](b.md), [up](../README.md), [folder](../src), [gone](c.md)\n',
      'pages/b.md': '![gone too](flow.svg)\n\n[by name][there]\n\n[there]: ../gone.md\n',
      'README.md': '[a](pages/a.md "A title") <a href="pages/d.md">d</a>\n',
      'src/x.ts': '',
    });
    expect(brokenLinks(folder)).toEqual([
      'README.md:1: pages/d.md: there is no pages/d.md',
      'pages/a.md:3: c.md: there is no pages/c.md',
      'pages/b.md:1: flow.svg: there is no pages/flow.svg',
      'pages/b.md:5: ../gone.md: there is no gone.md',
    ]);
  });

  it('are anchors that no heading has', async () => {
    const page =
      '# The `one`: first, [second](#same)\n\n## Same\n\n## Same\n\n## spec.roles[role]\n\n```\n# no heading\n```\n';
    const folder = await folderOf({
      'a.md': '[1](#here)\n\n# Here\n\n[2](b.md#the-one-first-second) [3](b.md#same-1) [4](b.md#specrolesrole)\n',
      'b.md': page,
      'c.md': '[1](b.md#no-heading)\n[2](b.md#same-2) [3](#here)\n',
    });
    expect(brokenLinks(folder)).toEqual([
      'c.md:1: b.md#no-heading: b.md has no heading of that anchor',
      'c.md:2: b.md#same-2: b.md has no heading of that anchor',
      'c.md:2: #here: c.md has no heading of that anchor',
    ]);
  });

  it('are names of pages in comments and messages', async () => {
    const folder = await folderOf({
      [`${DOCS}/a.md`]: '# A\n\n## Why\n',
      'libs/x.ts': `/** See ${DOCS}/a.md#why. */\nthrow new Error('see ${DOCS}/gone.md');\n`,
    });
    expect(brokenLinks(folder)).toEqual([`libs/x.ts:2: ${DOCS}/gone.md: there is no ${DOCS}/gone.md`]);
  });

  it('leave the project', async () => {
    const folder = await folderOf({ 'a.md': '[out](../elsewhere/x.md)\n' });
    expect(brokenLinks(folder)).toEqual(['a.md:1: ../elsewhere/x.md: is outside the project']);
  });

  it('are neither in code nor on other sites', async () => {
    const folder = await folderOf({
      'a.md': '`[a](b.md)` ``c [`d`](e.md)`` [site](https://example.org/x.md#y)\n\n```md\n[f](g.md)\n```\n',
    });
    expect(brokenLinks(folder)).toEqual([]);
  });
});
