import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { EXIT_CODES } from './exit-codes.ts';

it('exit codes are those in the documentation', async () => {
  const page = await readFile(new URL('../../../docs/users/cli.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| (\d+) +\| (.*?) +\|$/gm)].map(([, code, when]) => ({ code: Number(code), when }));
  expect(rows).toEqual(Object.values(EXIT_CODES));
});
