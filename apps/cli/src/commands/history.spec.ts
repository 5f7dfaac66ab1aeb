/** Commands that read recorded runs, without a cluster. The life of a job on an API server: `history.integration.spec.ts`. */
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pytorchAdapter } from '@muster/adapter-pytorch';
import { newWorld, planJob, type JobManifest } from '@muster/common-job-controller';
import { admitted, pytorchJobDefinition } from '@muster/job-api';
import { recordedLines, recordOf, taggedJson } from '@muster/recording';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { muster } from '../../test-support/command-line.ts';
import { collectJob } from '../history/recorded-job.ts';

const adapter = pytorchAdapter();
const settings = { serviceMode: 'PerJob', clusterDomain: 'cluster.local' } as const;

function line(name: string, minute: number, { namespace = 'team', uid = 'first' } = {}): string {
  const env = [{ name: 'API_TOKEN', value: 'hush-hush' }];
  const template = { spec: { containers: [{ name: 'pytorch', image: 'registry.example/a:1', env }] } };
  const manifest: JobManifest = admitted(pytorchJobDefinition, {
    ...{ apiVersion: 'kubeflow.org/v1', kind: 'PyTorchJob' },
    metadata: { name, namespace, uid, generation: 1, creationTimestamp: '2030-01-01T00:00:00Z' },
    spec: { pytorchReplicaSpecs: { Worker: { replicas: 1, template } } },
  });
  const world = newWorld(manifest, Date.parse('2030-01-01T00:00:00Z') + minute * 60_000);
  return taggedJson(recordOf({ adapter, settings, world, plan: planJob(adapter, world, settings) }));
}

let folder: string;
let runs: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-history-'));
  runs = join(folder, 'runs.jsonl');
  const lines = [
    line('mnist', 0),
    line('mnist', 10, { uid: 'second' }),
    line('mnist', 20, { uid: 'second' }),
    line('twin', 1, { namespace: 'a' }),
    line('twin', 2, { namespace: 'b' }),
    // A file whose writer was killed.
    line('mnist', 30).slice(0, 600),
  ];
  await writeFile(runs, lines.join('\n'));
});
afterAll(() => rm(folder, { recursive: true }));

const run = (...args: string[]) => muster([...args, '--recording', runs]).ended;

describe('commands for recorded runs', () => {
  it('show the newest of several jobs with the same name, and the UIDs of the others', async () => {
    const { code, out, err } = await run('history', 'mnist');
    expect(code).toBe(0);
    expect(out).toMatch(/^PyTorchJob team\/mnist \(UID second\), 2 recorded runs\n/);
    expect(err).toBe('warning: 1 line of the recording cannot be read\nEarlier jobs of this name: --uid first\n');
    expect((await run('history', 'mnist', '--uid', 'first')).out).toContain('(UID first), 1 recorded run\n');
    expect(await run('history', 'mnist', '--uid', 'third')).toMatchObject({ code: 5, out: '' });
  });

  it('find a job by kind, plural, resource and short name', async () => {
    const runsOf = async (reference: string) => {
      let count = 0;
      await collectJob(recordedLines(runs), { reference }, () => ({ add: () => count++, addDeletion: () => {} }));
      return count;
    };
    for (const kind of ['pytorchjob', 'pytorchjobs', 'pytorchjobs.kubeflow.org', 'PyTorchJob']) {
      await expect(runsOf(`${kind}/mnist`)).resolves.toBe(3);
    }
    await expect(runsOf('tfjob/mnist')).rejects.toMatchObject({ exitCode: 5 });
    await expect(runsOf('a/b/c')).rejects.toMatchObject({ exitCode: 2 });
  });

  it('refuse a name that jobs of several namespaces have, unless -n names one', async () => {
    const { code, err } = await run('history', 'twin');
    expect({ code, err }).toEqual({
      code: 6,
      err: 'error: The recording has several jobs twin. Use one of:\n  pytorchjob/twin -n a\n  pytorchjob/twin -n b\n',
    });
    expect((await run('history', 'twin', '-n', 'b')).code).toBe(0);
  });

  it('report a job and a file that do not exist', async () => {
    expect(await run('history', 'absent')).toMatchObject({
      code: 5,
      err: 'error: The recording has no run of a job absent; 6 lines were read.\n',
    });
    const missing = await muster(['history', 'mnist', '--recording', join(folder, 'nothing')]).ended;
    expect(missing).toMatchObject({ code: 1, err: expect.stringContaining('no such file') as string });
  });

  it('print the entries as JSON', async () => {
    const { out } = await run('history', 'mnist', '-o', 'json');
    expect(JSON.parse(out)).toMatchObject({
      job: {
        resource: 'pytorchjobs.kubeflow.org',
        kind: 'PyTorchJob',
        namespace: 'team',
        name: 'mnist',
        uid: 'second',
      },
      entries: [
        {
          time: '2030-01-01T00:10:00Z',
          causes: ['the job was created'],
          decisions: expect.arrayContaining(['creates pod mnist-worker-0']) as unknown,
          runs: 1,
          place: 'runs.jsonl:2',
        },
        { time: '2030-01-01T00:20:00Z' },
      ],
    });
  });

  it('explain a job at a time, from the last run before it', async () => {
    const { code, out } = await run('why', 'mnist', '--at', '2030-01-01T00:15:00Z');
    expect(code).toBe(0);
    expect(out).toMatch(
      /^PyTorchJob team\/mnist is waiting: .*\nAs the operator saw it at 2030-01-01T00:10:00Z, its last recorded run 5m before that time\./,
    );
    const early = await run('why', 'mnist', '--at', '2030-01-01T00:05:00Z');
    expect(early).toMatchObject({
      code: 5,
      err: expect.stringContaining('first recorded run is at 2030-01-01T00:10:00Z') as string,
    });
    expect((await run('why', 'mnist', '--at', 'yesterday')).code).toBe(2);
  });

  it('export the runs of a job within a size, readable by the user only, without values of variables', async () => {
    const file = join(folder, 'mnist.jsonl');
    const { code, err } = await run('record', 'export', 'mnist', '-o', file);
    expect({ code, err }).toMatchObject({ code: 0, err: expect.stringContaining(`${file}: 2 lines.`) as string });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(runs, 'utf8')).toContain('hush-hush');
    expect(await readFile(file, 'utf8')).not.toContain('hush-hush');
    expect(await muster(['replay', file]).ended).toMatchObject({
      code: 0,
      out: '2 recorded runs planned again: no differences\n',
    });
    const bytes = (await stat(file)).size;
    const small = await run('record', 'export', 'mnist', '-o', file, '--size', String((bytes - 10) / 1024 / 1024));
    expect(small.err).toContain('warning: the oldest 1 lines do not fit into the file: raise --size');
    expect((await muster(['history', 'mnist', '--recording', file]).ended).out).toContain('2030-01-01T00:20:00Z');
    expect((await run('record', 'export', 'mnist', '--size', '0')).code).toBe(2);
  });
});
