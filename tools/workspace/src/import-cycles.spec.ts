import { execFile } from 'node:child_process';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const exec = promisify(execFile);

describe('the rule on import cycles', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'muster-cycles-')));
  });

  afterAll(() => rm(folder, { recursive: true }));

  /** The rule's output for files that import one another in that order, and the first one again. */
  async function outputFor(files: Record<string, string>): Promise<string> {
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const args = ['--config', '.dependency-cruiser.mjs', folder];
    const run = exec(join(ROOT, 'node_modules/.bin/depcruise'), args, { cwd: ROOT });
    return run.then(
      ({ stdout }) => stdout,
      (error: unknown) => (error as { stdout: string }).stdout,
    );
  }

  it.each([
    ['a cycle of values', "import { b } from './b.ts';\nexport const a = () => b;\n", 'error no-cycle'],
    ['a cycle of types alone', "import type { b } from './b.ts';\nexport type a = typeof b;\n", 'error no-cycle'],
    ['imports without a cycle', 'export const a = 1;\n', 'no dependency violations found'],
  ])('is checked for %s', async (_what, a, expected) => {
    const b = "import type { a } from './a.ts';\nexport const b: typeof a | undefined = undefined;\n";
    expect(await outputFor({ 'a.ts': a, 'b.ts': b })).toContain(expected);
  });
});
