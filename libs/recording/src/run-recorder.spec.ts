import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '@muster/controller';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { plainAdapter, SETTINGS, worldOf } from '@muster/common-job-controller/testing';
import { planJob, type PlannedRun } from '@muster/common-job-controller';
import { deletionIn, lineOf, recordIn } from './run-record.ts';
import { RunRecorder, type RecordSettings } from './run-recorder.ts';
import { recordedLines } from './record-files.ts';

let folder: string;
let clock: ManualClock;
let messages: string[];
let registry: Registry;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-runs-'));
  clock = new ManualClock();
  messages = [];
  registry = new Registry();
});
afterEach(() => rm(folder, { recursive: true }));

function recorder(settings: Partial<RecordSettings> = {}): RunRecorder {
  const log = (message: string) => void messages.push(message);
  return new RunRecorder({
    settings: { folder, ...settings },
    name: 'plain',
    instance: 'pod-1',
    clock,
    logger: { info: log, warn: log },
    registry,
  });
}

/** Runs by the result that the metric has for them. */
async function counted(): Promise<Record<string, number>> {
  const [metric] = await registry.getMetricsAsJSON();
  return Object.fromEntries(metric!.values.map(({ labels, value }) => [String(labels['result']), value]));
}

function run(now: number): PlannedRun {
  const adapter = plainAdapter({ workers: 1 });
  const world = worldOf({ now });
  return { adapter, world, settings: SETTINGS, plan: planJob(adapter, world, SETTINGS) };
}

async function recordedTimes(path = folder): Promise<number[]> {
  const times: number[] = [];
  for await (const { line } of recordedLines(path)) times.push(recordIn(line).world.nowMs);
  return times;
}

const timesOf = (...runs: readonly PlannedRun[]) => runs.map(({ world }) => world.nowMs);

describe('RunRecorder', () => {
  it('writes a line for each run, in order, into a folder that it creates', async () => {
    const deep = join(folder, 'a', 'b');
    const to = recorder({ folder: deep });
    for (const now of [1, 2, 3]) to.record(run(now));
    await to.close();
    expect(await recordedTimes(deep)).toEqual(timesOf(run(1), run(2), run(3)));
    expect(await counted()).toEqual({ recorded: 3 });
    const [file = ''] = await readdir(deep);
    expect((await stat(join(deep, file))).mode & 0o777).toBe(0o600);
    expect(messages).toEqual([]);
  });

  it('starts another file when one is full, and keeps the newest within the limit of all files', async () => {
    const length = Buffer.byteLength(lineOf(run(0))) + 1;
    // A line is larger than the eighth of the limit that a file may have.
    const to = recorder({ bytes: length * 3.5 });
    for (let now = 0; now < 10; now++) to.record(run(now));
    await to.close();
    expect(await recordedTimes()).toEqual(timesOf(run(7), run(8), run(9)));
  });

  it('removes old files of other processes of the operator, and none of another operator', async () => {
    const others = ['runs-mpi-2000-01-01T000000000Z-pod-0-1-0001.jsonl', 'notes.txt'];
    const old = [1, 2].map((day) => `runs-plain-2000-01-0${day}T000000000Z-pod-0-1-0001.jsonl`);
    const length = Buffer.byteLength(lineOf(run(0))) + 1;
    for (const name of [...others, ...old]) await writeFile(join(folder, name), 'x'.repeat(length));
    const to = recorder({ bytes: length * 2.5 });
    to.record(run(0));
    await to.close();
    const names = await readdir(folder);
    expect(names).toEqual(expect.arrayContaining([...others, old[1]]));
    expect(names).toHaveLength(4);
    expect(names.filter((name) => name.includes('-pod-1-'))).toHaveLength(1);
  });

  it('records the deletion of a job', async () => {
    const to = recorder();
    const { adapter, world } = run(0);
    to.record(run(0));
    to.recordDeletion(adapter.resource, world.manifest);
    await to.close();
    const lines: string[] = [];
    for await (const { line } of recordedLines(folder)) lines.push(line);
    const { namespace, name, uid } = world.manifest.metadata ?? {};
    expect(lines.map(deletionIn)).toEqual([
      undefined,
      { resource: 'plainjobs.test.muster.dev', namespace, name, uid, atMs: clock.now() },
    ]);
  });

  it('writes files that are also read from subfolders', async () => {
    const deep = recorder({ folder: join(folder, 'of-a-process') });
    deep.record(run(1));
    await deep.close();
    expect(await recordedTimes()).toEqual(timesOf(run(1)));
  });

  it('reports once that a file cannot be written, and records no more', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    const to = recorder({ folder: join(file, 'runs') });
    to.record(run(0));
    await expect.poll(() => messages).toHaveLength(1);
    to.record(run(1));
    await to.close();
    expect(messages).toEqual(['reconcile runs are no longer recorded: a file cannot be written']);
  });

  it.skipIf(process.platform !== 'linux')('stops on a full disk', async () => {
    // Writes to /dev/full fail with ENOSPC.
    const { symlink } = await import('node:fs/promises');
    const to = recorder();
    to.record(run(0));
    await to.close();
    const [first = ''] = await readdir(folder);
    const path = join(folder, first);
    const before = await readFile(path, 'utf8');
    const again = recorder();
    again.record(run(1));
    await expect.poll(() => readdir(folder)).toHaveLength(2);
    const second = join(folder, (await readdir(folder)).find((name) => name !== first) ?? '');
    await expect.poll(async () => (await readFile(second, 'utf8')).endsWith('\n')).toBe(true);
    await rm(second);
    await symlink('/dev/full', second);
    again.record(run(2));
    again.record(run(3));
    await expect.poll(() => messages).toEqual(['reconcile runs are no longer recorded: a file cannot be written']);
    again.record(run(4));
    await again.close();
    expect(await readFile(path, 'utf8')).toBe(before);
    expect(messages).toHaveLength(1);
    expect((await counted())['failed']).toBeGreaterThanOrEqual(1);
  });

  it('leaves out a run that it cannot encode, and reports that once', async () => {
    const to = recorder();
    const odd = { ...run(0), world: { ...run(0).world, conflictingPods: new Map([['a', (() => 'odd') as never]]) } };
    for (const each of [odd, odd, run(1)]) to.record(each);
    await to.close();
    expect(await recordedTimes()).toEqual(timesOf(run(1)));
    expect(messages).toEqual(['a reconcile run of a PlainJob cannot be recorded']);
    expect(await counted()).toEqual({ left_out: 2, recorded: 1 });
  });

  it('leaves out runs while encoding takes more than a tenth of the time, and records again later', async () => {
    let usedMs = 0;
    const cpuMs = () => (usedMs += 500);
    const log = (message: string) => void messages.push(message);
    const to = new RunRecorder({
      settings: { folder },
      name: 'plain',
      instance: 'pod-1',
      clock,
      cpuMs,
      logger: { info: log, warn: log },
      registry,
    });
    for (let now = 0; now < 20; now++) to.record(run(now));
    clock.advance(60_000);
    to.record(run(20));
    await to.close();
    const times = await recordedTimes();
    expect(times.length).toBeLessThan(8);
    expect(times.at(-1)).toBe(run(20).world.nowMs);
    const counts: number[] = [];
    for await (const { line } of recordedLines(folder)) counts.push(1 + (recordIn(line).leftOut ?? 0));
    expect(counts.some((count) => count > 1)).toBe(true);
    expect(await counted()).toEqual({ recorded: times.length, left_out: 21 - times.length });
    expect(messages).toEqual(['some reconcile runs are not recorded: recording takes too much time']);
  });
});
