/**
 * Manifests in the forms that Kubeflow's users have, against a real API server: kubectl applies them without a word, and
 * the operator makes of each what `golden/upstream-forms` says, as the API server has stored it.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { createJobOperator, type JobOperator } from '@muster/common-job-controller';
import {
  crdFor,
  HORIZONTAL_POD_AUTOSCALERS,
  PODS,
  PYTORCH_JOBS,
  pytorchJobDefinition,
  SERVICE_MODES,
  SERVICES,
  type KubeObject,
  type PyTorchJob,
  type Resource,
  type ServiceMode,
} from '@muster/job-api';
import type { Logger } from '@muster/kube';
import { eventually, installCrd, testCluster } from '@muster/testing';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { objectsOf, UPSTREAM_FORMS } from '../test-support/upstream-forms.ts';
import { pytorchAdapter } from './pytorch-adapter.ts';

const cluster = await testCluster();
const { client } = cluster;
const run = promisify(execFile);
const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** The cluster's own; a cluster from elsewhere is asked with the one on the PATH. */
const ownKubectl = join(dirname(cluster.kubeconfig), 'bin', 'kubectl');
const KUBECTL = existsSync(ownKubectl) ? ownKubectl : 'kubectl';

const namespaces = new Map<ServiceMode, string>();
const operators: JobOperator[] = [];

beforeAll(async () => {
  await installCrd(client, crdFor(pytorchJobDefinition));
  for (const serviceMode of SERVICE_MODES) {
    const namespace = await cluster.namespace();
    namespaces.set(serviceMode, namespace);
    const operator = createJobOperator({
      adapter: pytorchAdapter(),
      client,
      registry: new Registry(),
      logger: silent,
      namespaces: [namespace],
      concurrency: 4,
      settings: { serviceMode, clusterDomain: 'cluster.local' },
      leaderElection: {
        enabled: true,
        namespace,
        leaseDurationMs: 15_000,
        renewDeadlineMs: 10_000,
        retryPeriodMs: 2000,
      },
      shutdownTimeoutMs: 10_000,
      onLeadershipLost: () => expect.fail('leadership was lost'),
    });
    operators.push(operator);
    await operator.start();
    await eventually(() => operator.problems().length === 0, { describe: () => operator.problems() });
  }
});

afterAll(() => Promise.all(operators.map((operator) => operator.stop())));

/** What kubectl says to the manifest on its standard input. */
async function kubectlApply(manifest: KubeObject, ...flags: string[]): Promise<string> {
  const { KUBECONFIG: _, ...env } = process.env;
  const asked = run(KUBECTL, ['--kubeconfig', cluster.kubeconfig, 'apply', '-f', '-', ...flags], { env });
  asked.child.stdin?.end(JSON.stringify(manifest));
  const { stdout, stderr } = await asked;
  return stderr + stdout;
}

const inNamespace = (form: PyTorchJob, namespace: string): PyTorchJob => ({
  ...form,
  metadata: { ...form.metadata, namespace },
});

/** What a job has, by kind and name. */
async function childrenOf(job: PyTorchJob): Promise<Map<string, KubeObject>> {
  const { name, namespace = '' } = job.metadata ?? {};
  const labelSelector = `training.kubeflow.org/job-name=${name}`;
  const kinds: Resource[] = [HORIZONTAL_POD_AUTOSCALERS, SERVICES, PODS];
  const lists = kinds.map(async (resource) => {
    const { items } = await client.list(resource, { namespace, labelSelector });
    return items.map((object) => [`${resource.kind} ${object.metadata?.name}`, object] as const);
  });
  return new Map((await Promise.all(lists)).flat());
}

/**
 * `live` with only what `expected` speaks of: the API server fills in its defaults, and mounts a token. Lists of named
 * things keep the entries that are expected; a variable or port too many of ours shows in the golden files.
 */
function spokenOf(live: unknown, expected: unknown): unknown {
  if (Array.isArray(expected) && Array.isArray(live)) {
    const names = new Set(expected.map(nameIn));
    const kept = names.has(undefined) ? live : live.filter((each) => names.has(nameIn(each)));
    return kept.map((each, index) => spokenOf(each, expected[index]));
  }
  if (isObject(expected) && isObject(live)) {
    return Object.fromEntries(Object.keys(expected).map((key) => [key, spokenOf(live[key], expected[key])]));
  }
  // Quantities may be written as numbers; they are stored as text.
  return typeof expected === 'number' && typeof live === 'string' ? Number(live) : live;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function nameIn(value: unknown): unknown {
  return isObject(value) ? value.name : undefined;
}

describe.each([...UPSTREAM_FORMS])('upstream form %s', (_name, form) => {
  it.each([
    { how: 'by the client', flags: [] },
    { how: 'by the server', flags: ['--server-side'] },
  ])('is applied $how without a warning', async ({ flags }) => {
    const manifest = inNamespace(form, namespaces.get('PerJob') ?? '');
    const said = await kubectlApply(manifest, '--dry-run=server', '--validate=strict', ...flags);
    expect(said).toMatch(/^pytorchjob\.kubeflow\.org\/\S+ (created|serverside-applied) \(server dry run\)\n$/);
  });

  it.each(SERVICE_MODES)('gets its objects in mode %s', async (serviceMode) => {
    const namespace = namespaces.get(serviceMode) ?? '';
    const job = await client.create(PYTORCH_JOBS, inNamespace(form, namespace));
    const expected = objectsOf(form, { uid: job.metadata?.uid ?? '', namespace }, serviceMode);
    const wanted = expected.map(({ kind, metadata }) => `${kind} ${metadata?.name}`).sort();
    let children = new Map<string, KubeObject>();
    await eventually(
      async () => {
        children = await childrenOf(job);
        return children.size >= wanted.length;
      },
      { describe: () => ({ wanted, seen: [...children.keys()].sort() }) },
    );
    expect([...children.keys()].sort()).toEqual(wanted);
    for (const { apiVersion: _apiVersion, ...object } of expected) {
      const { kind, ...rest } = object;
      const live = children.get(`${kind} ${rest.metadata?.name}`);
      expect(spokenOf(live, rest), `${kind} ${rest.metadata?.name}`).toEqual(rest);
    }
  });
});
