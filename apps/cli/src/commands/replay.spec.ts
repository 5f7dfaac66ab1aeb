import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { recordedLines } from '@muster/recording';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { muster } from '../../test-support/command-line.ts';

const RECORDED = fileURLToPath(new URL('../../test-support/recorded-runs.jsonl.gz', import.meta.url));

let folder: string;
/** Some recorded runs that create objects, and the same runs with a different plan. */
let runs: string;
let changed: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-replay-'));
  const lines: string[] = [];
  for await (const { line } of recordedLines(RECORDED)) {
    if (line.includes('"op":"create"')) lines.push(line);
    if (lines.length === 5) break;
  }
  [runs, changed] = [join(folder, 'runs.jsonl'), join(folder, 'changed.jsonl')];
  await writeFile(runs, `${lines.join('\n')}\n`);
  // The incomplete last line of a file whose writer was killed.
  await writeFile(
    changed,
    `${lines.map((line) => line.replace(/("op":"create".*?"name":)"/, '$1"x')).join('\n')}\n{"vers`,
  );
});
afterAll(() => rm(folder, { recursive: true }));

describe('muster replay', { timeout: 60_000 }, () => {
  it('exits 0 if all plans are the same', async () => {
    const { code, out, err } = await muster(['replay', runs]).ended;
    expect({ code, out, err }).toEqual({
      code: 0,
      out: '5 recorded runs planned again: no differences\n',
      err: '',
    });
  });

  it('exits 1 if plans differ, and prints each kind of difference with an example', async () => {
    const { code, out, err } = await muster(['replay', changed]).ended;
    expect(code).toBe(1);
    expect(out).toMatch(/^5 recorded runs planned again: 5 with a different result\n\n\d+ x \S+: create \w+/);
    expect(out).toMatch(/for example .*, changed\.jsonl:\d\n {2}recorded: .*\n {2}replayed: /);
    expect(err).toContain('warning: 1 recorded runs cannot be planned again, for example changed.jsonl:6');
  });

  it('lists the runs whose plan differs with --each, with the decisions that only one of the plans has', async () => {
    const { out } = await muster(['replay', changed, '--each']).ended;
    expect(out).toMatch(/\n\S+ \S+, changed\.jsonl:1: (no pods|pods: .*)\n( {2}- creates .*\n)+( {2}\+ creates .*\n)+/);
    expect(out.match(/, changed\.jsonl:\d+: (no )?pods/g)).toHaveLength(5);
  });

  it('writes a sample of runs with the same plan, or with --accept of all runs with the plans of this version', async () => {
    const sample = join(folder, 'sample.jsonl.gz');
    await muster(['replay', changed, '--sample', sample]).ended;
    expect((await muster(['replay', sample]).ended).code).toBe(1);
    expect((await muster(['replay', changed, '--accept', '--sample', sample]).ended).code).toBe(0);
    const { code, out } = await muster(['replay', sample]).ended;
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('no differences') as string });
  });

  it.each([
    ['a missing file', ['nothing.jsonl'], 1, 'nothing.jsonl'],
    ['a folder without records', ['empty'], 1, 'has no file that ends in .jsonl or .jsonl.gz'],
    ['a file without records', ['notes.txt'], 1, 'has no run that can be planned again'],
    ['an invalid size', ['empty', '--sample-size', 'big'], 2, '--sample-size: expected a number above 0'],
  ])('refuses %s', async (_what, [path = '', ...others], code, message) => {
    await mkdir(join(folder, 'empty'), { recursive: true });
    await writeFile(join(folder, 'notes.txt'), 'notes');
    const ended = await muster(['replay', join(folder, path), ...others]).ended;
    expect(ended.code).toBe(code);
    expect(ended.err).toContain(message);
  });
});
