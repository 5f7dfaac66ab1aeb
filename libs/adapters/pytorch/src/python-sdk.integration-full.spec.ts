/** Kubeflow's Python client (PyPI kubeflow-training) with the operator. The test reports the pods' status. */
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { crdFor, PODS, pytorchJobDefinition, type Pod } from '@muster/job-api';
import { createKubeClient, loadCluster } from '@muster/kube';
import { eventually, installCrd, testCluster, TravelClock } from '@muster/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pytorchConformance } from '../test-support/pytorch-conformance.ts';

const run = promisify(execFile);
const SCRIPT = fileURLToPath(new URL('../test-support/python-sdk/life.py', import.meta.url));
/** The newest kubernetes client that works with both releases. */
const KUBERNETES = 'kubernetes<33';
const INSTALL_LIMIT_MS = 600_000;
const LIMIT_MS = 400_000;

const cluster = await testCluster();
const client = createKubeClient(await loadCluster({ kubeconfig: cluster.operatorKubeconfig('pytorch-elastic') }), {
  userAgent: 'muster-test/0',
});
const namespace = await cluster.namespace();
let operator: Awaited<ReturnType<typeof pytorchConformance.startOperator>> | undefined;

beforeAll(async () => {
  await installCrd(cluster.client, crdFor(pytorchJobDefinition));
  const quiet = () => undefined;
  operator = await pytorchConformance.startOperator({
    ...{ client, namespaces: [namespace], resource: pytorchConformance.resource, serviceMode: 'PerJob' },
    clock: new TravelClock(),
    logger: { debug: quiet, info: quiet, warn: quiet, error: quiet },
  });
});

afterAll(async () => {
  await operator?.stop();
  await client.close();
});

type Step = Readonly<Record<string, unknown>>;

/** The calls of `life.py`, step by step. */
function life(python: string, name: string): AsyncIterator<Step> {
  const child = spawn(python, [SCRIPT, cluster.kubeconfig, namespace, name], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async next() {
      const { value } = (await lines.next()) as { readonly value: string | undefined };
      if (value === undefined) throw new Error(`life.py has ended: ${errors}`);
      return { done: false, value: JSON.parse(value) as Step };
    },
  };
}

async function report(pods: readonly string[], status: NonNullable<Pod['status']>): Promise<void> {
  let there: readonly string[] = [];
  await eventually(
    async () => {
      const { items } = await cluster.client.list(PODS, { namespace });
      there = items.map(({ metadata }) => metadata?.name ?? '');
      return pods.every((pod) => there.includes(pod));
    },
    { withinMs: LIMIT_MS, describe: () => ({ wanted: pods, there }) },
  );
  for (const name of pods) await cluster.client.patchStatus(PODS, { namespace, name }, { status });
}

const running: NonNullable<Pod['status']> = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };

function ended(exitCode: number): NonNullable<Pod['status']> {
  const state = { terminated: { exitCode, finishedAt: new Date().toISOString().replace(/\.\d+Z$/, 'Z') } };
  const container = { name: 'pytorch', image: 'x', imageID: '', ready: false, restartCount: 0, state };
  return { phase: exitCode === 0 ? 'Succeeded' : 'Failed', containerStatuses: [container] };
}

describe.each(['1.8.1', '1.9.4'])('kubeflow-training %s', (release) => {
  let folder = '';
  let python = '';

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'muster-python-sdk-'));
    await run('python3', ['-m', 'venv', folder]);
    python = join(folder, 'bin/python');
    await run(python, ['-m', 'pip', 'install', '--quiet', `kubeflow-training==${release}`, KUBERNETES]);
  }, INSTALL_LIMIT_MS);

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each(['Succeeded', 'Failed'])(
    'creates a job, waits for its conditions, finds its pods and reads its end: %s',
    { timeout: LIMIT_MS },
    async (end) => {
      const name = `sdk-${release.replaceAll('.', '-')}-${end.toLowerCase()}`;
      const pods = [`${name}-master-0`, `${name}-worker-0`, `${name}-worker-1`];
      const steps = life(python, name);
      const next = async () => (await steps.next()).value as Step;
      expect(await next()).toEqual({ step: 'created', conditions: ['Created'], isCreated: true });
      await report(pods, running);
      expect(await next()).toEqual({
        ...{ step: 'running', isRunning: true, pods, master: pods.slice(0, 1) },
        ...{ workers: pods.slice(1), second: pods.slice(2) },
      });
      const hasFailed = end === 'Failed';
      await report(pods.slice(0, 1), ended(hasFailed ? 1 : 0));
      expect(await next()).toEqual({
        ...{ step: 'ended', conditions: ['Created', 'Running', end], listed: [name] },
        ...{ isSucceeded: !hasFailed, isFailed: hasFailed },
        raised: hasFailed ? (expect.stringContaining('is Failed') as string) : null,
      });
      expect(await next()).toEqual({ step: 'deleted' });
    },
  );
});
