/** Objects of a chart besides the Deployment, by values. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runCommand } from '@muster/cluster';
import { FRAMEWORKS, type KubeObject } from '@muster/job-api';
import type { Container, PodSpec } from 'kubernetes-types/core/v1.js';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { chartFolder, helm, HELM_TIMEOUT_MS, IMAGE, rendered, renderedText, type Values } from '../test-support/helm.ts';
import { namesOfKind, ofKind } from '../test-support/of-kind.ts';

const SELECTOR = { 'app.kubernetes.io/name': 'muster-ray', 'app.kubernetes.io/instance': 'rel' };

interface Spec extends KubeObject {
  spec: Record<string, unknown>;
}

async function specOf(kind: string, values: Values): Promise<Record<string, unknown>> {
  return ofKind<Spec>(await rendered('ray', values), kind).spec;
}

async function testContainer(): Promise<Container> {
  const pod = ofKind<KubeObject & { spec: PodSpec }>(await rendered('ray', {}), 'Pod');
  if (pod.spec.containers[0] === undefined) throw new Error('a pod without containers');
  return pod.spec.containers[0];
}

function podThat(state: object, lastOutput?: string): object {
  const terminated = { exitCode: 2, reason: 'Error', message: lastOutput };
  const operator = { name: 'operator', restartCount: 3, state, ...(lastOutput !== undefined && { lastState: { terminated } }) };
  return { metadata: { name: 'rel-ray-1' }, status: { phase: 'Running', podIP: '127.0.0.1', containerStatuses: [operator] } };
}

interface Answers {
  readonly readyz: number;
  readonly pods: readonly object[];
  /** Timeout of the test. */
  readonly afterMs?: number;
}

/** Output of the chart's test for these responses of the operator and the API server. */
async function testedAgainst({ readyz, pods, afterMs = 60_000 }: Answers): Promise<{ code: number; stdout: string }> {
  const server = createServer((request, response) => {
    const isReadyz = request.url === '/readyz';
    response.statusCode = isReadyz ? readyz : request.headers.authorization === 'Bearer secret' ? 200 : 403;
    const error = { lease: { status: 'down', problems: ['another operator runs the same jobs'] } };
    response.end(JSON.stringify(isReadyz ? { status: 'error', error } : { items: pods }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const account = await mkdtemp(join(tmpdir(), 'muster-account-'));
  onTestFinished(() => rm(account, { recursive: true }));
  await writeFile(join(account, 'token'), 'secret');
  const { command = [], args = [] } = await testContainer();
  const script = args.map((arg) =>
    arg
      .replace('http://rel-ray:8080', `http://127.0.0.1:${port}`)
      .replace('https://kubernetes.default.svc', `http://127.0.0.1:${port}`)
      .replace('/var/run/secrets/kubernetes.io/serviceaccount', account)
      .replace('${host}:8080', `\${host}:${port}`)
      .replace('60_000', String(afterMs)),
  );
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [...command.slice(1), ...script]);
    return { code: 0, stdout };
  } catch (error) {
    return error as { code: number; stdout: string };
  }
}

beforeAll(() => helm(['version']), HELM_TIMEOUT_MS);

it('installs only operator, roles, CRDs, Service and test by default', async () => {
  const kinds = new Set((await rendered('ray', {})).map(({ kind }) => kind));
  expect([...kinds].sort()).toEqual([
    'ClusterRole',
    'ClusterRoleBinding',
    'CustomResourceDefinition',
    'Deployment',
    'Pod',
    'Role',
    'RoleBinding',
    'Service',
    'ServiceAccount',
  ]);
});

describe('the CRDs', () => {
  it('equal the CRDs that are installed without Helm', async () => {
    const text = await renderedText('ray', { image: IMAGE });
    const file = await readFile(join(chartFolder('ray'), 'files/crds/ray.io_rayjobs.yaml'), 'utf8');
    expect(text).toContain(file.slice(file.indexOf('\nspec:')).trimEnd());
  });

  it('have commonAnnotations, which cannot override the policy keep', async () => {
    const commonAnnotations = { owner: 'ops', 'helm.sh/resource-policy': 'delete' };
    const objects = await rendered('ray', { commonAnnotations });
    const crds = objects.filter(({ kind }) => kind === 'CustomResourceDefinition');
    const kept = { owner: 'ops', 'helm.sh/resource-policy': 'keep' };
    expect(crds.map(({ metadata }) => metadata?.annotations)).toEqual([kept, kept, kept, kept]);
  });

  it('are left out with crds.install=false', async () => {
    expect(namesOfKind(await rendered('ray', { crds: { install: false } }), 'CustomResourceDefinition')).toEqual([]);
  });
});

describe('the monitors', () => {
  const settings = { interval: '30s', scrapeTimeout: '5s', honorLabels: true, relabelings: [{ action: 'labelmap' }] };
  const endpoint = { port: 'http', path: '/metrics', ...settings };

  it('scrape the Service', async () => {
    const serviceMonitor = { enabled: true, labels: { release: 'prom' }, ...settings };
    const objects = await rendered('ray', { metrics: { serviceMonitor } });
    const { metadata, spec } = ofKind<Spec>(objects, 'ServiceMonitor');
    expect(metadata?.labels).toMatchObject({ release: 'prom' });
    expect(spec).toEqual({
      selector: { matchLabels: SELECTOR },
      namespaceSelector: { matchNames: ['muster'] },
      endpoints: [endpoint],
    });
    expect(ofKind(objects, 'Service').metadata?.labels).toMatchObject(SELECTOR);
  });

  it('scrape the pods without a Service', async () => {
    const metrics = { service: { enabled: false }, podMonitor: { enabled: true, ...settings } };
    const objects = await rendered('ray', { metrics });
    expect(ofKind<Spec>(objects, 'PodMonitor').spec).toMatchObject({ podMetricsEndpoints: [endpoint] });
    expect(namesOfKind(objects, 'Service')).toEqual([]);
    expect(namesOfKind(objects, 'Pod')).toEqual([]);
  });
});

describe('the disruption budget', () => {
  it.each<[values: object, numbers: object]>([
    [{}, { maxUnavailable: 1 }],
    [{ maxUnavailable: 2 }, { maxUnavailable: 2 }],
    [{ maxUnavailable: '50%' }, { maxUnavailable: '50%' }],
    [{ minAvailable: 2 }, { minAvailable: 2 }],
    [{ minAvailable: 0 }, { minAvailable: 0 }],
  ])('has with %j exactly %j', async (values, numbers) => {
    const spec = await specOf('PodDisruptionBudget', { replicaCount: 3, podDisruptionBudget: { enabled: true, ...values } });
    expect(spec).toEqual({ ...numbers, selector: { matchLabels: SELECTOR } });
  });
});

describe('the network policy', () => {
  it('allows egress to DNS, to the API server and for the framework', async () => {
    const { ingress, egress, podSelector } = await specOf('NetworkPolicy', { networkPolicy: { enabled: true } });
    expect(podSelector).toEqual({ matchLabels: SELECTOR });
    expect(ingress).toEqual([{ ports: [{ port: 8080, protocol: 'TCP' }] }]);
    expect(egress).toEqual([
      { ports: [{ port: 53, protocol: 'UDP' }, { port: 53, protocol: 'TCP' }] },
      { ports: [{ port: 443, protocol: 'TCP' }, { port: 6443, protocol: 'TCP' }] },
      { ports: [{ port: 8265, protocol: 'TCP' }] },
    ]);
  });

  it.each(Object.keys(FRAMEWORKS).filter((framework) => framework !== 'ray'))(
    'allows the operator of %s to read the progress from pods of jobs in every namespace',
    async (chart) => {
      const objects = await rendered(chart, { networkPolicy: { enabled: true } });
      const { egress } = ofKind<Spec>(objects, 'NetworkPolicy').spec as { egress: unknown[] };
      const podSelector = { matchExpressions: [{ key: 'training.kubeflow.org/operator-name', operator: 'Exists' }] };
      expect(egress.at(-1)).toEqual({ to: [{ namespaceSelector: {}, podSelector }] });
    },
  );

  it('restricts peers and ports by values, and admits the pod of helm test', async () => {
    const prometheus = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } };
    const networkPolicy = {
      enabled: true,
      ingressFrom: [prometheus],
      apiServerCIDRs: ['10.0.0.1/32'],
      apiServerPorts: [6443],
      extraEgress: [],
    };
    const objects = await rendered('ray', { networkPolicy });
    const { ingress, egress } = ofKind<Spec>(objects, 'NetworkPolicy').spec;
    const test = ofKind(objects, 'Pod').metadata?.labels;
    expect(ingress).toMatchObject([{ from: [prometheus, { podSelector: { matchLabels: test } }] }]);
    expect(egress).toMatchObject([
      {},
      { ports: [{ port: 6443, protocol: 'TCP' }], to: [{ ipBlock: { cidr: '10.0.0.1/32' } }] },
    ]);
  });
});

describe('helm test', () => {
  it('runs in the image of the operator, without its labels', async () => {
    const objects = await rendered('ray', {});
    const { metadata, spec } = ofKind<Spec>(objects, 'Pod');
    expect(metadata?.annotations).toMatchObject({ 'helm.sh/hook': 'test' });
    expect(metadata?.labels).not.toMatchObject(SELECTOR);
    expect(JSON.stringify(spec)).toContain('http://rel-ray:8080/readyz');
    expect(JSON.stringify(spec)).toContain('"image":"registry.example/operator:0.1.0"');
  });

  it('passes when the operator becomes ready', async () => {
    let requests = 0;
    const server = createServer((request, response) => {
      requests += 1;
      response.statusCode = request.url === '/readyz' && requests > 1 ? 200 : 503;
      response.end('{}');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const { command = [], args = [] } = await testContainer();
    const script = args.map((arg) => arg.replace('http://rel-ray:8080', `http://127.0.0.1:${port}`));
    const { stdout } = await runCommand(process.execPath, [...command.slice(1), ...script]);
    expect(stdout).toMatch(/readyz 503 {}\n.*readyz 200 {}\n$/);
  });

  it('fails at once if every pod of the operator is stuck, and prints waiting reasons and termination messages', { timeout: 60_000 }, async () => {
    const pods = [
      podThat({ waiting: { reason: 'CrashLoopBackOff', message: 'back-off 40s' } }, 'error: --port: expected a number\nbye\n'),
      podThat({ waiting: { reason: 'ImagePullBackOff', message: 'not found' } }),
    ];
    const { code, stdout } = await testedAgainst({ readyz: 503, pods });
    expect(code).toBe(1);
    expect(stdout).toContain('container operator is waiting: CrashLoopBackOff: back-off 40s\n');
    expect(stdout).toContain('exit code 2 (Error), 3 restarts. Termination message:\n    error: --port: expected a number\n    bye\n');
    expect(stdout).toContain('container operator is waiting: ImagePullBackOff: not found\n');
    expect(stdout).toContain('The operator is not ready. Read its log: kubectl --namespace muster logs --selector app.kubernetes.io/name=muster-ray,');
  });

  it('prints problems of running pods at its timeout', { timeout: 60_000 }, async () => {
    const pods = [podThat({ running: {} })];
    const { code, stdout } = await testedAgainst({ readyz: 503, pods, afterMs: 0 });
    expect(code).toBe(1);
    expect(stdout).toContain('  /readyz 503: another operator runs the same jobs\n');
  });

  it('may list the pods of its namespace, and is deleted afterwards', async () => {
    const objects = await rendered('ray', {}, { withTestAccount: true });
    const ofTest = objects.filter(({ metadata }) => metadata?.annotations?.['helm.sh/hook'] === 'test');
    expect(ofTest.map(({ kind }) => kind).sort()).toEqual(['Pod', 'Role', 'RoleBinding', 'ServiceAccount']);
    for (const { metadata } of ofTest) {
      expect(metadata?.annotations?.['helm.sh/hook-delete-policy']).toBe('before-hook-creation,hook-succeeded,hook-failed');
    }
    expect(ofTest.find(({ kind }) => kind === 'Role')).toMatchObject({ rules: [{ resources: ['pods'], verbs: ['list'] }] });
    const without = await rendered('ray', { rbac: { create: false } }, { withTestAccount: true });
    expect(namesOfKind(without, 'Role')).toEqual([]);
    expect(ofKind<Spec>(without, 'Pod').spec['automountServiceAccountToken']).toBe(false);
  });

  it('is left out with tests.enabled=false', async () => {
    expect(namesOfKind(await rendered('ray', { tests: { enabled: false } }), 'Pod')).toEqual([]);
  });
});

it('adds extraObjects', async () => {
  const own = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'mine' }, data: { a: '1' } };
  expect(ofKind(await rendered('ray', { extraObjects: [own] }), 'ConfigMap')).toEqual(own);
});

it('uses namespaceOverride', async () => {
  const objects = await rendered('ray', { namespaceOverride: 'elsewhere' });
  const namespaces = new Set(objects.map(({ metadata }) => metadata?.namespace));
  expect(namespaces).toEqual(new Set(['elsewhere', undefined]));
});
