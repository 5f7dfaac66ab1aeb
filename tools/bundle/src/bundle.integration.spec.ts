/** Bundles in the way that images run them: started by Node with no files beside them, against a real API server. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runCommand, terminalProgress } from '@muster/cluster';
import {
  crdFor,
  FRAMEWORKS,
  LABELS,
  LEASES,
  MPI_JOBS,
  MX_JOBS,
  PODS,
  PYTORCH_JOBS,
  RAY_CLUSTERS,
  TF_JOBS,
  XGBOOST_JOBS,
  type KubeObject,
  type Resource,
  JAX_JOBS,
  PADDLE_JOBS,
} from '@muster/job-api';
import { ensurePrometheus } from '@muster/prometheus';
import { eventually, installCrd, missing, testCluster, undeclared } from '@muster/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bundle, bundle, frameworks, NODE_FLAGS } from './bundle.ts';

const cluster = await testCluster();

let folder: string;
let made: Bundle;
const children: ChildProcess[] = [];

beforeAll(async () => {
  for (const definition of Object.values(FRAMEWORKS).flat()) await installCrd(cluster.client, crdFor(definition));
  folder = await mkdtemp(join(tmpdir(), 'muster-bundle-'));
  made = await bundle('pytorch-elastic');
});

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await rm(folder, { recursive: true });
});

describe('bundle', () => {
  it('lists the operators of the workspace, and no others', async () => {
    expect(await frameworks()).toContain('pytorch-elastic');
    expect(await frameworks()).not.toContain('cli');
    await expect(bundle('pytorch')).rejects.toThrow(
      /unknown framework "pytorch": choose from .*mpi, .*pytorch-elastic, .*tensorflow/,
    );
  });

  it('contains no package twice in the same version', async () => {
    const inputs = Object.keys(made.metafile.inputs);
    const folders = new Set(inputs.flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []));
    const identities = await Promise.all([...folders].map(identityOf));
    const twice = identities.filter((identity, at) => identities.indexOf(identity) !== at);
    expect(identities.length).toBeGreaterThan(20);
    expect(twice).toEqual([]);
  });

  it('leaves out modules that the operator does not use: schemas of other frameworks, most of rxjs', () => {
    const [output] = Object.values(made.metafile.outputs).filter(({ entryPoint }) => entryPoint !== undefined);
    const used = Object.entries(output?.inputs ?? {}).flatMap(([file, { bytesInOutput }]) =>
      bytesInOutput > 0 ? [file] : [],
    );
    expect(used).toContain('libs/job-api/src/pytorch-job.ts');
    expect(used).not.toContain('libs/job-api/src/ray-cluster.ts');
    expect(used).toContain('node_modules/rxjs/dist/esm/internal/Observable.js');
    expect(used).not.toContain('node_modules/rxjs/dist/esm/internal/ajax/ajax.js');
  });

  it('builds operators that work side by side: each has its own Lease, runs its own kind, and exits with 0', async () => {
    const namespace = await cluster.namespace();
    const operators = await Promise.all((await frameworks()).map((framework) => started(framework, namespace)));
    for (const { framework, get, log } of operators) {
      await eventually(async () => (await get('/readyz')).ok, { withinMs: 60_000, describe: log });
      // On a busy machine the first response may report a loop that was blocked while the process started.
      await eventually(async () => (await get('/healthz')).ok, { describe: log });
      expect(await (await get('/metrics')).text()).toMatch(
        new RegExp(`^muster_build_info\\{version=".+",framework="${framework}"\\} 1$`, 'm'),
      );
    }
    const { client } = cluster;
    for (const [resource, manifest] of JOBS) {
      await client.create(resource, { metadata: { name: resource.kind.toLowerCase(), namespace }, ...manifest });
    }
    const rayCluster = { headGroupSpec: worker('ray-head'), workerGroupSpecs: [] };
    await client.create<KubeObject & { spec: object }>(RAY_CLUSTERS, {
      metadata: { name: 'raycluster', namespace },
      spec: rayCluster,
    });
    const kinds = JOBS.map(([{ kind }]) => kind);
    let pods: Record<string, string | undefined> = {};
    await eventually(
      async () => {
        const { items } = await client.list(PODS, { namespace });
        pods = Object.fromEntries(
          items
            .filter(({ metadata }) => metadata?.name?.endsWith('-worker-0'))
            .map(({ metadata }) => [metadata?.name ?? '', metadata?.labels?.[LABELS.operatorName]]),
        );
        return Object.keys(pods).length === kinds.length;
      },
      { withinMs: 60_000, describe: () => ({ pods, logs: operators.map(({ log }) => log()) }) },
    );
    expect(pods).toEqual(
      Object.fromEntries(kinds.map((kind) => [`${kind.toLowerCase()}-worker-0`, `${kind.toLowerCase()}-controller`])),
    );
    const { promtool } = await ensurePrometheus(terminalProgress());
    for (const { framework, get, log } of operators) {
      const text = async () => (await get('/metrics')).text();
      await eventually(async () => missing(await text(), framework).length === 0, {
        describe: async () => ({ framework, missing: missing(await text(), framework), log: log() }),
      });
      expect(undeclared(await text()), framework).toEqual([]);
      await eventually(async () => (await text()).includes('muster_job_info{'), { describe: text });
      // Prometheus' own rules for names, types and help.
      await runCommand(promtool, ['check', 'metrics'], { input: await text() });
    }
    const leases = (await client.list(LEASES, { namespace })).items.map(({ metadata }) => metadata?.name);
    expect(leases).toHaveLength(operators.length);
    for (const { child, log } of operators) {
      child.kill('SIGTERM');
      // Not 'exit', after which there may still be output.
      const [code] = (await once(child, 'close')) as [number | null];
      expect(code, log()).toBe(0);
      expect(log()).toContain('"message":"shutting down"');
      expect(log()).not.toContain('"level":"error"');
    }
  });
});

/** A job of one worker, of each kind. */
const JOBS: readonly [Resource, object][] = [
  [PYTORCH_JOBS, { spec: { pytorchReplicaSpecs: { Worker: worker('pytorch') } } }],
  [TF_JOBS, { spec: { tfReplicaSpecs: { Worker: worker('tensorflow') } } }],
  [MX_JOBS, { spec: { jobMode: 'MXTrain', mxReplicaSpecs: { Worker: worker('mxnet') } } }],
  [PADDLE_JOBS, { spec: { paddleReplicaSpecs: { Master: worker('paddle'), Worker: worker('paddle') } } }],
  [JAX_JOBS, { spec: { jaxReplicaSpecs: { Worker: worker('jax') } } }],
  [XGBOOST_JOBS, { spec: { xgbReplicaSpecs: { Master: worker('xgboost'), Worker: worker('xgboost') } } }],
  [{ ...MPI_JOBS, version: 'v1' }, { spec: { mpiReplicaSpecs: { Launcher: worker('mpi'), Worker: worker('mpi') } } }],
];

function worker(name: string) {
  return { template: { spec: { containers: [{ name, image: 'registry.example/train:1' }] } } };
}

/** Outside of the workspace, where no node_modules can be found. */
async function started(framework: string, namespace: string) {
  const { file } = await bundle(framework);
  const own = await mkdtemp(join(folder, `${framework}-`));
  for (const part of ['main.cjs', 'operator.cjs']) await copyFile(join(dirname(file), part), join(own, part));
  const flags = ['--port', '0', '--namespace', namespace, '--leader-election-namespace', namespace];
  const child = spawn(process.execPath, [...NODE_FLAGS, join(own, 'main.cjs'), ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: own,
    env: { PATH: process.env['PATH'], KUBECONFIG: cluster.kubeconfig },
  });
  children.push(child);
  let written = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (written += chunk.toString()));
  }
  const log = () => written;
  const port = await eventually(() => /"message":"listening","port":(\d+)/.exec(written)?.[1], {
    withinMs: 60_000,
    describe: log,
  });
  return { framework, child, log, get: (path: string) => fetch(`http://127.0.0.1:${port}${path}`) };
}

/** Relative to a package folder of the workspace, where the paths in a metafile begin. */
async function identityOf(folder: string): Promise<string> {
  const manifest = new URL(`../../../${folder}/package.json`, import.meta.url);
  const { name, version } = JSON.parse(await readFile(manifest, 'utf8')) as { name: string; version: string };
  return `${name}@${version}`;
}
