import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CustomResourceDefinition, KubeObject, Lease, Resource } from '@muster/job-api';
import { CUSTOM_RESOURCE_DEFINITIONS, LEASES } from '@muster/job-api';
import {
  SERVICE_ACCOUNTS,
  eventually,
  faultProxy,
  installCrd,
  missing,
  testCluster,
  undeclared,
} from '@muster/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { OperatorProcess } from '../fixtures/operator-process.ts';

const APP = fileURLToPath(new URL('../fixtures/engine-app.ts', import.meta.url));
const WITHIN_MS = 60_000;

const cluster = await testCluster();
const { client } = cluster;

let namespace: string;
let folder: string;
let operator: OperatorProcess | undefined;
const groups: string[] = [];

beforeAll(async () => {
  namespace = await cluster.namespace();
  folder = await mkdtemp(join(tmpdir(), 'muster-host-'));
});

afterEach(async () => {
  operator?.kill('SIGKILL');
  await operator?.ended();
});

afterAll(async () => {
  await rm(folder, { recursive: true });
  for (const group of groups) {
    await client.delete(CUSTOM_RESOURCE_DEFINITIONS, { name: `idlejobs.${group}` });
  }
});

function start(kubeconfig: string, group: string, ...flags: readonly string[]): OperatorProcess {
  const everywhere = ['--port', '0', '--namespace', namespace, '--leader-election-namespace', namespace, ...flags];
  operator = new OperatorProcess(APP, [...everywhere, '--group', group, '--kubeconfig', kubeconfig]);
  return operator;
}

function newGroup(): string {
  return `host-${randomUUID().slice(0, 8)}.muster.test`;
}

function idleJobs(group: string): CustomResourceDefinition {
  groups.push(group);
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `idlejobs.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind: 'IdleJob', plural: 'idlejobs', singular: 'idlejob', listKind: 'IdleJobList' },
      versions: [{ name: 'v1', served: true, storage: true, schema, subresources: { status: {} } }],
    },
  };
}

async function becomesReady(running: OperatorProcess): Promise<void> {
  await eventually(async () => (await running.get('/readyz')).status === 200, {
    withinMs: WITHIN_MS,
    describe: () => running.lines,
  });
}

const lease = () => client.get<Lease>(LEASES, { namespace, name: `muster-idle-${namespace}` });

/** Waits for the metric: the process considers itself the leader only after the Lease shows it to others. */
async function leads(running: OperatorProcess): Promise<void> {
  const metrics = async () => (await running.get('/metrics')).body;
  await eventually(async () => (await metrics()).match(/^leader_election_master_status\{.*\} 1$/m), {
    withinMs: WITHIN_MS,
    describe: metrics,
  });
}

/** Polled: on a busy machine the first answer may report event loop lag. */
async function becomesAlive(running: OperatorProcess): Promise<void> {
  await eventually(async () => (await running.get('/healthz')).status === 200, { describe: () => running.lines });
}

const reasons = (running: OperatorProcess) =>
  running.log.map(({ message }) => message).filter((message) => message.startsWith('not ready:'));

describe('an operator on an API server', () => {
  it('serves a report in shadow mode, and takes no Lease', async () => {
    const group = newGroup();
    await installCrd(client, idleJobs(group));
    const running = start(cluster.kubeconfig, group, '--shadow');
    await becomesReady(running);
    const { status, body } = await running.get('/shadow?namespace=team');
    expect({ status, report: JSON.parse(body) as unknown }).toMatchObject({
      ...{ status: 200, report: { framework: 'idle', kinds: [{ kind: 'IdleJob', seen: 0, unknown: [] }] } },
    });
    const { items } = await client.list(LEASES, { namespace });
    expect(items.filter(({ metadata }) => metadata?.name?.startsWith('muster-'))).toEqual([]);
    running.kill('SIGTERM');
    expect(await running.ended()).toBe(0);
  });

  it('has no report if it runs jobs', async () => {
    const group = newGroup();
    await installCrd(client, idleJobs(group));
    const running = start(cluster.kubeconfig, group);
    await becomesReady(running);
    expect((await running.get('/shadow')).status).toBe(404);
  });

  it('is ready, leads, serves its metrics, and on SIGTERM releases the Lease and exits 0', async () => {
    const group = newGroup();
    await installCrd(client, idleJobs(group));
    const running = start(cluster.kubeconfig, group);
    await becomesReady(running);
    await eventually(async () => (await lease()).spec?.holderIdentity, { describe: () => running.lines });
    await leads(running);
    const metrics = async () => (await running.get('/metrics')).body;
    expect(missing(await metrics(), 'idle')).toEqual([]);
    expect(undeclared(await metrics())).toEqual([]);
    expect(await metrics()).toMatch(/^workqueue_depth\{/m);

    running.kill('SIGTERM');
    expect(await running.ended()).toBe(0);
    expect((await lease()).spec?.holderIdentity ?? '').toBe('');
    expect(running.log.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
  });

  it('exports gauges of jobs while it leads, and none while another process does', async () => {
    const group = newGroup();
    await installCrd(client, idleJobs(group));
    const resource = { group, version: 'v1', kind: 'IdleJob', plural: 'idlejobs', namespaced: true };
    await client.create(resource, { metadata: { namespace, name: 'one' }, spec: {} });
    const metricsOf = async (process: OperatorProcess) => (await process.get('/metrics')).body;
    const seriesOfJobs = async (process: OperatorProcess) =>
      (await metricsOf(process)).split('\n').filter((line) => /^muster_jobs?(_\w+)?\{/.test(line));
    const first = start(cluster.kubeconfig, group);
    await becomesReady(first);
    await leads(first);
    await eventually(async () => (await metricsOf(first)).includes('muster_job_info{'), { withinMs: WITHIN_MS });
    expect((await seriesOfJobs(first)).join('\n')).toContain('muster_jobs{');

    const second = start(cluster.kubeconfig, group, '--per-job-metrics=false');
    try {
      await becomesReady(second);
      expect(await metricsOf(second)).toMatch(
        new RegExp(`^muster_watch_objects\\{resource="idlejobs.${group}"\\} 1$`, 'm'),
      );
      expect(await seriesOfJobs(second)).toEqual([]);
    } finally {
      first.kill('SIGTERM');
      await first.ended();
    }
    await leads(second);
    await eventually(async () => (await seriesOfJobs(second)).length > 0, { withinMs: WITHIN_MS });
    expect(await metricsOf(second)).not.toContain('muster_job_info{');
    expect(undeclared(await metricsOf(second))).toEqual([]);
    second.kill('SIGTERM');
    expect(await second.ended()).toBe(0);
  });

  it('exports no gauges of jobs after it has lost the Lease and continues as a follower', async () => {
    const group = newGroup();
    await installCrd(client, idleJobs(group));
    const resource = { group, version: 'v1', kind: 'IdleJob', plural: 'idlejobs', namespaced: true };
    const spec = { runPolicy: { progressDeadlineSeconds: 60 } };
    await client.create<KubeObject & { spec: object }>(resource, { metadata: { namespace, name: 'followed' }, spec });
    // Counters stay: they count since the start of the process.
    const gaugesOfJobs = async (process: OperatorProcess) =>
      (await process.get('/metrics')).body.split('\n').filter((line) => /^muster_jobs?(_\w+)?(?<!_total)\{/.test(line));
    const followed = async (process: OperatorProcess) =>
      (await gaugesOfJobs(process)).filter((line) => line.startsWith('muster_job_progress_unknown{'));
    const lasting = [
      '--leader-election-lease-duration=6s',
      '--leader-election-renew-deadline=4s',
      '--leader-election-retry-period=1s',
    ];
    await using proxy = await faultProxy(cluster.access);
    const first = start(proxy.kubeconfig, group, ...lasting);
    await becomesReady(first);
    await leads(first);
    await eventually(async () => (await followed(first)).length === 1, {
      withinMs: WITHIN_MS,
      describe: () => gaugesOfJobs(first),
    });

    const allow = proxy.inject({ path: '/leases' }, { type: 'answer', code: 503 });
    const second = start(cluster.kubeconfig, group, ...lasting);
    try {
      await leads(second);
      await eventually(async () => (await followed(second)).length === 1, {
        withinMs: WITHIN_MS,
        describe: () => gaugesOfJobs(second),
      });
      expect(await gaugesOfJobs(first)).toEqual([]);
      allow();
      // It takes part in the election again, and its caches are current.
      await becomesReady(first);
      expect(await gaugesOfJobs(first)).toEqual([]);
      expect((await first.get('/metrics')).body).toMatch(/^leader_election_master_status\{.*\} 0$/m);
    } finally {
      first.kill('SIGKILL');
      await first.ended();
    }
    second.kill('SIGTERM');
    expect(await second.ended()).toBe(0);
  });

  it('exits in time on SIGTERM when the API server does not answer, and the next process leads when the Lease expires', async () => {
    const group = newGroup();
    await installCrd(client, idleJobs(group));
    await using proxy = await faultProxy(cluster.access);
    const stopped = start(proxy.kubeconfig, group, '--shutdown-timeout', '30s');
    await becomesReady(stopped);
    await leads(stopped);
    proxy.stallWatches();
    proxy.inject(() => true, { type: 'stall' });
    stopped.kill('SIGTERM');
    // 1 if it exceeded its deadline.
    expect(await stopped.ended(), stopped.lines.join('\n')).toBe(0);
    const { holderIdentity } = (await lease()).spec ?? {};
    expect(holderIdentity).not.toBe('');
    const next = start(cluster.kubeconfig, group);
    await becomesReady(next);
    await leads(next);
    expect((await lease()).spec?.holderIdentity).not.toBe(holderIdentity);
    next.kill('SIGTERM');
    expect(await next.ended()).toBe(0);
  });

  it('is alive but not ready without its CRD, logs once how to install it, and becomes ready when it is installed', async () => {
    const group = newGroup();
    const running = start(cluster.kubeconfig, group);
    await eventually(() => reasons(running).length > 0, { withinMs: WITHIN_MS, describe: () => running.lines });
    const { status, body } = await running.get('/readyz');
    expect(status).toBe(503);
    expect(body).toContain(`the CustomResourceDefinition idlejobs.${group} is not installed`);
    await becomesAlive(running);

    await installCrd(client, idleJobs(group));
    await becomesReady(running);
    await eventually(() => running.log.some(({ message }) => message === 'ready'));
    expect(reasons(running)).toEqual([
      `not ready: the CustomResourceDefinition idlejobs.${group} is not installed: run muster crds idle | kubectl apply -f -`,
    ]);
  });

  it('reports missing rights, and becomes ready as soon as they are granted', async () => {
    const group = newGroup();
    await installCrd(client, idleJobs(group));
    const account = 'powerless';
    const running = start(await accountKubeconfig(account), group);
    const unready = async () => (await running.get('/readyz')).body;
    await eventually(async () => (await unready()).includes('not allowed to'), {
      withinMs: WITHIN_MS,
      describe: () => running.lines,
    });
    expect(await unready()).toContain(
      `not allowed to get, list, watch, create, patch, delete pods in namespace ${namespace}`,
    );
    await becomesAlive(running);

    await grant(account, group);
    await becomesReady(running);
    running.kill('SIGTERM');
    expect(await running.ended()).toBe(0);
  });
});

/** A kubeconfig of a new ServiceAccount without rights. */
async function accountKubeconfig(name: string): Promise<string> {
  await client.create(SERVICE_ACCOUNTS, { metadata: { name, namespace } });
  const tokens: Resource<KubeObject & { spec: object; status?: { token: string } }> = {
    group: '',
    version: 'v1',
    kind: 'TokenRequest',
    plural: `serviceaccounts/${name}/token`,
    namespaced: true,
  };
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: { namespace }, spec: {} };
  const { status } = await client.create(tokens, request);
  const { ca, rejectUnauthorized } = await cluster.access.tls();
  const trust =
    rejectUnauthorized === false
      ? { 'insecure-skip-tls-verify': true }
      : { 'certificate-authority-data': Buffer.from(ca ?? '').toString('base64') };
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server: cluster.access.server, ...trust } }],
    users: [{ name, user: { token: status?.token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: name, namespace } }],
    'current-context': 'test',
  };
  const file = join(folder, 'account.kubeconfig');
  await writeFile(file, JSON.stringify(kubeconfig));
  return file;
}

const RBAC = { group: 'rbac.authorization.k8s.io', version: 'v1', namespaced: true } as const;
const ROLES: Resource<KubeObject & { rules: object[] }> = { ...RBAC, kind: 'Role', plural: 'roles' };
const ROLE_BINDINGS: Resource<KubeObject & { roleRef: object; subjects: object[] }> = {
  ...RBAC,
  kind: 'RoleBinding',
  plural: 'rolebindings',
};

async function grant(account: string, group: string): Promise<void> {
  await client.create(ROLES, {
    metadata: { name: account, namespace },
    rules: [
      { apiGroups: [group], resources: ['idlejobs', 'idlejobs/status', 'idlejobs/finalizers'], verbs: ['*'] },
      { apiGroups: [''], resources: ['pods', 'services'], verbs: ['*'] },
      { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['*'] },
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['*'] },
    ],
  });
  await client.create(ROLE_BINDINGS, {
    metadata: { name: account, namespace },
    roleRef: { apiGroup: RBAC.group, kind: 'Role', name: account },
    subjects: [{ kind: 'ServiceAccount', name: account, namespace }],
  });
}
