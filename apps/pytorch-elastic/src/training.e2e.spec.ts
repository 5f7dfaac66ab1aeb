/**
 * Real training: the operator as users start it, pods that a kubelet runs, torch and gloo between them. The manifests are
 * those of `examples/`.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { crdFor, PODS, PYTORCH_JOBS, pytorchJobDefinition, type PyTorchJob } from '@muster/job-api';
import { eventually, installCrd, testCluster } from '@muster/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const run = promisify(execFile);
const ROOT = new URL('../../../', import.meta.url);
/** The trainers' image has a shell and getent, which is all that waiting for the master takes. */
const IMAGE = 'muster.local/torch-examples:2.6';

const cluster = await testCluster();
const { client } = cluster;
let namespace: string;
let operator: ChildProcess;
let output = '';

beforeAll(async () => {
  await installCrd(client, crdFor(pytorchJobDefinition));
  namespace = await cluster.namespace();
  const flags = ['--port', '0', '--namespace', namespace, '--leader-election-namespace', namespace];
  operator = spawn('muster', ['operator', 'pytorch-elastic', ...flags, '--pytorch-init-container-image', IMAGE], {
    cwd: ROOT,
    env: { ...process.env, KUBECONFIG: cluster.kubeconfig },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [operator.stdout, operator.stderr]) {
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  }
});

afterAll(async () => {
  const exited = once(operator, 'exit');
  operator.kill('SIGTERM');
  const [code] = (await exited) as [number | null];
  expect(code, `the operator's last lines: ${output.slice(-2000)}`).toBe(0);
});

async function example(name: string): Promise<PyTorchJob> {
  const text = await readFile(new URL(`examples/pytorch-elastic/${name}.yaml`, ROOT), 'utf8');
  const manifest = parse(text) as PyTorchJob;
  return { ...manifest, metadata: { ...manifest.metadata, namespace } };
}

async function toEnd(name: string): Promise<PyTorchJob> {
  let seen: PyTorchJob | undefined;
  return eventually(
    async () => {
      seen = await client.get(PYTORCH_JOBS, { namespace, name });
      return seen.status?.completionTime !== undefined && seen;
    },
    { withinMs: 240_000, describe: () => ({ status: seen?.status, operator: output.slice(-3000) }) },
  );
}

async function kubectl(...args: string[]): Promise<void> {
  await run('kubectl', ['--kubeconfig', cluster.kubeconfig, '--namespace', namespace, ...args]);
}

/** Not by kubectl: it is asked for again and again, and the pods need the processors. */
function logOf(pod: string): Promise<string> {
  return client.text(`/api/v1/namespaces/${namespace}/pods/${pod}/log?container=pytorch`);
}

/** The first and last loss of the line `done loss 2.1 -> 0.1 workers 3`, and how many workers there were. */
function resultIn(log: string): { first: number; last: number; workers: number } {
  const [, first, last, workers] = /^done loss ([\d.]+) -> ([\d.]+) workers (\d+)$/m.exec(log) ?? [];
  expect(first, `no result in the log:\n${log}`).toBeDefined();
  return { first: Number(first), last: Number(last), workers: Number(workers) };
}

describe('training on a real node', () => {
  it('a master and two workers train one model together, and the job succeeds', async () => {
    const manifest = await example('static');
    const name = manifest.metadata?.name ?? '';
    await client.create(PYTORCH_JOBS, manifest);
    const { status } = await toEnd(name);
    const log = await logOf(`${name}-master-0`);
    expect(status?.state, `${JSON.stringify(status)}\n${log}`).toBe('Succeeded');
    const { first, last, workers } = resultIn(log);
    expect(workers).toBe(3);
    expect(last).toBeLessThan(first / 5);
    expect(log).toContain('workers agree');
    expect(status?.restartCount).toBe(0);
    const { items } = await client.list(PODS, { namespace, labelSelector: `training.kubeflow.org/job-name=${name}` });
    expect(items.map(({ metadata }) => metadata?.name).sort()).toEqual([
      `${name}-master-0`,
      `${name}-worker-0`,
      `${name}-worker-1`,
    ]);
  });

  it('workers without a master find one another, each under its name, also with a Service per replica', async () => {
    const manifest = await example('masterless');
    const name = manifest.metadata?.name ?? '';
    const annotations = { 'muster.dev/service-mode': 'PerReplica' };
    await client.create(PYTORCH_JOBS, { ...manifest, metadata: { ...manifest.metadata, annotations } });
    const { status } = await toEnd(name);
    const log = await logOf(`${name}-worker-0`);
    expect(status?.state, `${JSON.stringify(status)}\n${log}`).toBe('Succeeded');
    expect(resultIn(log).last).toBeLessThan(resultIn(log).first / 5);
  });

  it('an elastic job grows while it trains, replaces a worker that is deleted, and goes on from its checkpoint', async () => {
    const manifest = await example('elastic');
    const name = manifest.metadata?.name ?? '';
    const reporter = `${name}-worker-0`;
    const lost = `${name}-worker-1`;
    let log = '';
    const logged = (what: RegExp) =>
      eventually(async () => what.test((log = await logOf(reporter))), {
        withinMs: 180_000,
        describe: () => ({ wanted: what.source, log: log.slice(-2000), operator: output.slice(-3000) }),
      });
    await client.create(PYTORCH_JOBS, manifest);
    await logged(/^epoch \d+\/\d+ loss \S+ workers 2$/m);
    await kubectl('scale', `pytorchjob/${name}`, '--replicas=3');
    await logged(/^epoch \d+\/\d+ loss \S+ workers 3$/m);
    const before = await client.get(PODS, { namespace, name: lost });
    await kubectl('delete', 'pod', lost, '--wait=false');
    const { status } = await toEnd(name);
    log = await logOf(reporter);
    expect(status?.state, `${JSON.stringify(status)}\n${log}`).toBe('Succeeded');
    const after = await client.get(PODS, { namespace, name: lost });
    expect(after.metadata?.uid).not.toBe(before.metadata?.uid);
    expect(log).toMatch(/^resumed from epoch \d+$/m);
    const { first, last, workers } = resultIn(log);
    expect(workers).toBe(3);
    expect(last).toBeLessThan(first / 5);
    expect(log).toContain('workers agree');
  }, 600_000);
});
