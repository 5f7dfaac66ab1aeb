/**
 * Checks that each page of `docs` that a comment or message of the source names exists. The target `links` runs it beside linkinator, which
 * checks links inside the pages.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

const FILES = '**/*.{ts,mjs,js,json,txt,sh,py,yaml,yml}';
const NOT_OURS = new Set(['node_modules', 'dist', 'reports', '.git', '.nx']);
const PAGE_NAME = /(?<![\w./-])docs\/[\w/.-]+\.md/g;

const problems = globSync(FILES, { exclude: (path) => NOT_OURS.has(basename(path)) }).flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(PAGE_NAME)]
    .filter(([page]) => !existsSync(page))
    .map(([page]) => `${file}: page ${page} does not exist`),
);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
