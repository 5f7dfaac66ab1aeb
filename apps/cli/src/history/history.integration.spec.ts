/** A job that fails and is deleted, on a real API server: its history, what was known at a time, and its exported runs. */
import { mkdtempSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { eventually } from '@muster/testing';
import { afterAll, expect, it } from 'vitest';
import { muster } from '../../test-support/command-line.ts';
import { job, jobFixture, TIMEOUT_MS } from '../../test-support/job-fixture.ts';
import type { HistoryEntry } from './job-history.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-history-'));
const recording = join(folder, 'runs');
const fixture = await jobFixture(recording);
afterAll(() => rm(folder, { recursive: true }));

const SECRET = 'hush-hush-token';

/** Fails, is restarted once, fails again. */
function doomed() {
  const manifest = job('doomed', { end: 'fail', workers: 1 });
  const { Worker: worker } = (manifest.spec as { pytorchReplicaSpecs: { Worker: { template: { spec: object } } } })
    .pytorchReplicaSpecs;
  const [container] = (worker.template.spec as { containers: object[] }).containers;
  const env = [{ name: 'API_TOKEN', value: SECRET }];
  const containers = [{ ...container, env, args: [`--token=${SECRET}`] }];
  const template = { ...worker.template, spec: { containers } };
  const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({ env }) };
  return {
    ...manifest,
    metadata: { ...manifest.metadata, annotations },
    spec: {
      runPolicy: { backoffLimit: 1 },
      pytorchReplicaSpecs: { Worker: { ...worker, restartPolicy: 'ExitCode', template } },
    },
  };
}

const run = (...args: string[]) => muster(args).ended;

it('is read from recorded runs after the job is deleted', { timeout: TIMEOUT_MS }, async () => {
  await fixture.submit(doomed());
  expect(JSON.stringify(await fixture.jobNamed('doomed'))).toContain(SECRET);
  expect((await fixture.run(['wait', 'doomed'])).code).toBe(3);
  expect((await fixture.run(['delete', 'doomed'])).code).toBe(0);
  await expect(fixture.jobNamed('doomed')).rejects.toMatchObject({ reason: 'NotFound' });

  let page = { code: null as number | null, out: '', err: '' };
  await eventually(
    async () => {
      page = await run('history', 'doomed', '--recording', recording);
      return page.out.includes('the job is gone');
    },
    { withinMs: 60_000, describe: () => page },
  );
  expect(page).toMatchObject({ code: 0, err: '' });
  expect(page.out).toMatch(/^PyTorchJob \S+\/doomed \(UID \S+\), \d+ recorded runs\n\n\S+Z {2}the job was created\n/);
  expect(page.out).toMatch(/ => creates pod doomed-worker-0\n/);
  expect(page.out).toMatch(/pod doomed-worker-0 failed: container pytorch: exit code 137/);
  expect(page.out).toMatch(/ => counts restart 1 of 1 \(backoffLimit\)\n/);
  expect(page.out).toMatch(/ => recreates pod doomed-worker-0\n/);
  expect(page.out).toMatch(/ => sets the condition Failed \(\w+\): /);
  // The order of the story.
  const at = (text: RegExp) => page.out.search(text);
  const order = [
    /creates pod/,
    /failed: container/,
    /counts restart/,
    /recreates pod/,
    /condition Failed/,
    /is gone/,
  ].map(at);
  expect(order).toEqual(order.toSorted((a, b) => a - b));

  const { out: json } = await run('history', 'pytorchjob/doomed', '--recording', recording, '-o', 'json');
  const { entries } = JSON.parse(json) as { entries: HistoryEntry[] };
  const timeOf = (text: string) =>
    entries.find(({ decisions }) => decisions.some((each) => each.includes(text)))?.time ?? text;
  // The run is planned within the second of its time.
  const after = (time: string) => new Date(Date.parse(time) + 1000).toISOString();
  const failed = await run('why', 'doomed', '--recording', recording, '--at', after(timeOf('condition Failed')));
  expect(failed.out).toMatch(
    /^PyTorchJob \S+\/doomed .*\nAs the operator saw it at \S+Z, its last recorded run \d+s before/,
  );
  const last = await run('why', 'doomed', '--recording', recording);
  expect(last.out).toMatch(/^PyTorchJob \S+\/doomed has failed .*exit code 137/);
  expect(last.out).toContain('The job was gone at ');
  const early = await run('why', 'doomed', '--recording', recording, '--at', '2020-01-01T00:00:00Z');
  expect(early).toMatchObject({ code: 5, err: expect.stringContaining('Its first recorded run is at ') as string });

  const file = join(folder, 'doomed.jsonl.gz');
  const exported = await run('record', 'export', 'doomed', '--recording', recording, '-o', file);
  expect(exported).toMatchObject({ code: 0, err: expect.stringMatching(/doomed.jsonl.gz: \d+ lines/) as string });
  const replayed = await run('replay', file);
  expect(replayed).toMatchObject({ code: 0, err: '' });
  expect(replayed.out).toMatch(/^\d+ recorded runs planned again: no differences\n$/);
  expect((await run('history', 'doomed', '--recording', file)).out).toBe(page.out);

  const texts = [gunzipSync(await readFile(file)).toString()];
  for (const name of await readdir(recording)) texts.push(await readFile(join(recording, name), 'utf8'));
  expect(texts.filter((text) => text.includes('doomed'))).toHaveLength(2);
  expect(texts.filter((text) => text.includes(SECRET))).toEqual([]);
});
