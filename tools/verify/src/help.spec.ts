/** Every script of the workspace prints its usage for `--help`, and does nothing else. */
import { spawn, type SpawnOptionsWithStdioTuple, type StdioNull, type StdioPipe } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

/** Subcommands of a script that has several. */
const VERBS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  images: [['operator'], ['build'], ['import'], ['operator', 'ray']],
};

/** Ends a script that does not exit after `--help`. */
const OPTIONS: SpawnOptionsWithStdioTuple<StdioNull, StdioPipe, StdioPipe> = {
  cwd: ROOT,
  stdio: ['ignore', 'pipe', 'pipe'],
  timeout: 60_000,
};

async function help(command: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const child = spawn(process.execPath, [...command, '--help'], OPTIONS);
  const closed = once(child, 'close') as Promise<[number]>;
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { code, out, err };
}

const cases = Object.entries(scripts).flatMap(([name, script]) => {
  const [program, ...args] = script.split(' ');
  expect(program).toBe('node');
  return [[], ...(VERBS[name] ?? [])].map((verb) => [[name, ...verb].join(' '), [...args, ...verb]] as const);
});

describe('--help', () => {
  it.each(cases)('is printed by npm run %s', async (_name, command) => {
    const { code, out, err } = await help(command);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/usage: /i);
  });
});
