/** Kubeflow's Python client (PyPI kubeflow-training) with the operator of a kind. The test reports the pods' status. */
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PODS, replicaName, type Pod } from '@muster/job-api';
import { createKubeClient, loadCluster } from '@muster/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConformanceFramework } from '../conformance/conformance-framework.ts';
import { frameworkOf } from '../conformance/framework-of.ts';
import { TravelClock } from '../conformance/travel-clock.ts';
import { eventually } from '../eventually.ts';
import { installCrd } from '../install-crd.ts';
import { testCluster, type TestCluster } from '../test-cluster.ts';

const run = promisify(execFile);
const SCRIPT = fileURLToPath(new URL('python-sdk/life.py', import.meta.url));
/** The newest kubernetes client that works with both releases. */
const KUBERNETES = 'kubernetes<33';
const INSTALL_LIMIT_MS = 600_000;
const LIMIT_MS = 400_000;

export interface PythonSdkKind {
  readonly framework: ConformanceFramework;
  /** The field of the spec with the roles. */
  readonly field: string;
  /** Replicas by role. A Master decides the outcome; without one all replicas have to succeed. */
  readonly roles: Readonly<Record<string, number>>;
  /** Releases that have the kind. */
  readonly releases: readonly string[];
}

type Step = Readonly<Record<string, unknown>>;

/** The calls of `life.py`, step by step. */
function life(python: string, args: readonly string[]): AsyncIterator<Step> {
  const child = spawn(python, [SCRIPT, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
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

async function report(
  { client }: Pick<TestCluster, 'client'>,
  namespace: string,
  pods: readonly string[],
  status: NonNullable<Pod['status']>,
): Promise<void> {
  let there: readonly string[] = [];
  await eventually(
    async () => {
      const { items } = await client.list(PODS, { namespace });
      there = items.map(({ metadata }) => metadata?.name ?? '');
      return pods.every((pod) => there.includes(pod));
    },
    { withinMs: LIMIT_MS, describe: () => ({ wanted: pods, there }) },
  );
  for (const name of pods) await client.patchStatus(PODS, { namespace, name }, { status });
}

const running: NonNullable<Pod['status']> = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };

function ended(name: string, exitCode: number): NonNullable<Pod['status']> {
  const state = { terminated: { exitCode, finishedAt: new Date().toISOString().replace(/\.\d+Z$/, 'Z') } };
  const container = { name, image: 'x', imageID: '', ready: false, restartCount: 0, state };
  return { phase: exitCode === 0 ? 'Succeeded' : 'Failed', containerStatuses: [container] };
}

export async function describePythonSdk({ framework, field, roles, releases }: PythonSdkKind): Promise<void> {
  const { kind } = framework.resource;
  const cluster = await testCluster();
  const own = frameworkOf(framework.resource);
  const kubeconfig = own === undefined ? cluster.kubeconfig : cluster.operatorKubeconfig(own);
  const client = createKubeClient(await loadCluster({ kubeconfig }), { userAgent: 'muster-test/0' });
  const namespace = await cluster.namespace();
  let operator: Awaited<ReturnType<typeof framework.startOperator>> | undefined;

  beforeAll(async () => {
    await installCrd(cluster.client, framework.crd);
    const quiet = () => undefined;
    operator = await framework.startOperator({
      ...{ client, namespaces: [namespace], resource: framework.resource, serviceMode: 'PerJob' },
      clock: new TravelClock(),
      logger: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    });
  });

  afterAll(async () => {
    await operator?.stop();
    await client.close();
  });

  describe.each(releases)('kubeflow-training %s', (release) => {
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
      `creates ${kind}s, waits for their conditions, finds their pods and reads their end: %s`,
      { timeout: LIMIT_MS },
      async (end) => {
        const name = `sdk-${release.replaceAll('.', '-')}-${end.toLowerCase()}`;
        const podsOf = (role: string) =>
          Array.from({ length: roles[role] ?? 0 }, (_pod, index) => replicaName(name, role, index));
        const pods = Object.keys(roles).flatMap(podsOf);
        const workers = podsOf('Worker');
        const deciding = 'Master' in roles ? podsOf('Master') : workers;
        const shape = [kind, field, framework.containerName, JSON.stringify(roles)];
        const steps = life(python, [cluster.kubeconfig, namespace, name, ...shape]);
        const next = async () => (await steps.next()).value as Step;
        expect(await next()).toEqual({ step: 'created', conditions: ['Created'], isCreated: true });
        await report(cluster, namespace, pods, running);
        expect(await next()).toEqual({
          ...{ step: 'running', isRunning: true, pods, master: pods.slice(0, 1) },
          ...{ workers, second: workers.slice(1, 2) },
        });
        const hasFailed = end === 'Failed';
        await report(cluster, namespace, deciding, ended(framework.containerName, hasFailed ? 1 : 0));
        expect(await next()).toEqual({
          ...{ step: 'ended', conditions: ['Created', 'Running', end], listed: [name] },
          ...{ isSucceeded: !hasFailed, isFailed: hasFailed },
          raised: hasFailed ? (expect.stringContaining('is Failed') as string) : null,
        });
        expect(await next()).toEqual({ step: 'deleted' });
      },
    );
  });
}
