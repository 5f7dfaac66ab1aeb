/**
 * The manifest of `examples/` that shows a queue, with the real Kueue and pods that a kubelet runs: with Kueue's integration, and
 * with Muster in its place. Kueue and the image are built when they are not there, which takes minutes. Linux and root only.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_INIT_CONTAINER, pytorchAdapter } from '@muster/adapter-pytorch';
import { clusterDown, clusterUp, runCommand, terminalProgress, type Cluster } from '@muster/cluster';
import { createJobOperator } from '@muster/common-job-controller';
import { importImages } from '@muster/images';
import {
  crdFor,
  LABELS,
  PODS,
  PYTORCH_JOBS,
  pytorchJobDefinition,
  type KubeObject,
  type Pod,
  type PyTorchJob,
  type Resource,
} from '@muster/job-api';
import { createKubeClient, isKubeError, loadCluster, type ClusterClient } from '@muster/kube';
import { startKueue, type Kueue } from '@muster/schedulers';
import { eventually, installCrd, loneOperatorOptions, trainingResult, TravelClock } from '@muster/testing';
import { Registry } from 'prom-client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';

const CLUSTER = `kueuen-${process.pid}`;
const NAMESPACE = 'default';
const WITHIN_MS = 400_000;
const LIMIT_MS = 4 * WITHIN_MS;
const BUILD_LIMIT_MS = 3_600_000;
const FILE = new URL('../../../examples/pytorch-elastic/queued.yaml', import.meta.url);
const INTEGRATION = 'kubeflow.org/pytorchjob';
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const WORKLOADS: Resource = {
  group: 'kueue.x-k8s.io',
  version: 'v1beta2',
  kind: 'Workload',
  plural: 'workloads',
  namespaced: true,
};

const manifest = parseAllDocuments(readFileSync(FILE, 'utf8')).at(-1)!.toJS() as PyTorchJob;
const trainerImage = manifest.spec.pytorchReplicaSpecs['Master']?.template.spec?.containers[0]?.image ?? '';

let cluster: Cluster;
let client: ClusterClient;
let kueue: Kueue;

beforeAll(async () => {
  const progress = terminalProgress();
  cluster = await clusterUp({ name: CLUSTER, node: 'real', progress });
  client = createKubeClient(await loadCluster({ kubeconfig: cluster.kubeconfig }), { userAgent: 'muster-test/0' });
  await importImages(['torch-examples'], { containerdSocket: cluster.containerdSocket ?? '', progress });
  await installCrd(client, crdFor(pytorchJobDefinition));
  kueue = await startKueue(cluster, [INTEGRATION]);
}, BUILD_LIMIT_MS);

afterAll(async () => {
  await kueue?.stop();
  await client?.close();
  await clusterDown({ name: CLUSTER });
}, LIMIT_MS);

const key = (name: string) => ({ namespace: NAMESPACE, name });

/** Queue, priority and the job, as its user does. */
async function applyExample(): Promise<string> {
  const kubectl = [`--kubeconfig=${cluster.kubeconfig}`, `--namespace=${NAMESPACE}`];
  await runCommand(join(cluster.binDir, 'kubectl'), [...kubectl, 'apply', `--filename=${FILE.pathname}`]);
  return manifest.metadata?.name ?? '';
}

async function createLike(name: string, labels: Readonly<Record<string, string>> = {}): Promise<void> {
  const metadata = { ...key(name), labels: { ...manifest.metadata?.labels, ...labels } };
  await client.create(PYTORCH_JOBS, { ...manifest, metadata });
}

async function podsOf(name: string): Promise<Pod[]> {
  const labelSelector = `${LABELS.jobName}=${name}`;
  return (await client.list(PODS, { namespace: NAMESPACE, labelSelector })).items;
}

async function state(name: string) {
  const job = await client.get(PYTORCH_JOBS, key(name)).catch(() => undefined);
  const pods = await podsOf(name);
  return { status: job?.status, pods: pods.map(({ metadata, status }) => [metadata?.name, status?.phase]) };
}

async function until(names: readonly string[], check: () => Promise<boolean>): Promise<void> {
  const describeState = async () => {
    const { items } = await client.list(WORKLOADS, { namespace: NAMESPACE });
    return { jobs: await Promise.all(names.map(state)), workloads: items, kueue: kueue.log() };
  };
  await eventually(check, { withinMs: WITHIN_MS, describe: async () => JSON.stringify(await describeState()) });
}

const hasSucceeded = (name: string) => async () =>
  (await client.get(PYTORCH_JOBS, key(name))).status?.state === 'Succeeded';

/** The text of the condition by which a job without pods says why. */
async function suspension(name: string): Promise<string> {
  const { status } = await client.get(PYTORCH_JOBS, key(name));
  const found = status?.conditions?.find(({ type }) => type === 'Suspended');
  return `${found?.status} ${found?.reason}: ${found?.message}`;
}

function logOf(pod: string): Promise<string> {
  return client.text(`/api/v1/namespaces/${NAMESPACE}/pods/${pod}/log?container=pytorch`);
}

async function expectTrained(name: string): Promise<void> {
  const { first, last, workers, agree } = trainingResult(await logOf(`${name}-master-0`));
  expect({ workers, agree }).toEqual({ workers: 2, agree: true });
  expect(last).toBeLessThan(first / 5);
}

/** When its programs ended, to the second. */
async function endOf(name: string): Promise<number> {
  const ends = (await podsOf(name)).map(({ status }) => status?.containerStatuses?.[0]?.state?.terminated?.finishedAt);
  return Math.max(...ends.map((end) => Date.parse(end ?? '')));
}

async function beginOf(name: string): Promise<number> {
  return Math.min(...(await podsOf(name)).map(({ metadata }) => Date.parse(metadata?.creationTimestamp ?? '')));
}

async function remove(name: string): Promise<void> {
  await client.delete(PYTORCH_JOBS, key(name), { propagationPolicy: 'Background' }).catch((error: unknown) => {
    if (!isKubeError(error, 'NotFound')) throw error;
  });
}

describe.each([
  { mode: "with Kueue's integration", isOwn: false },
  { mode: 'with Muster in its place', isOwn: true },
])('training in a queue, $mode', { timeout: LIMIT_MS }, ({ isOwn }) => {
  let operator: ReturnType<typeof createJobOperator> | undefined;

  beforeAll(async () => {
    if (isOwn) await kueue.restart(['batch/job']);
    const base = { client, namespaces: [NAMESPACE], serviceMode: 'PerJob', logger: silent } as const;
    const options = loneOperatorOptions({ ...base, clock: new TravelClock() });
    const settings = { ...options.settings, kueue: isOwn };
    // The trainers' image has all that waiting for the master takes.
    const adapters: Parameters<typeof createJobOperator>[0]['adapters'] = [
      pytorchAdapter({ ...DEFAULT_INIT_CONTAINER, image: trainerImage }),
    ];
    const made = createJobOperator({ ...options, settings, adapters, registry: new Registry() });
    operator = made;
    await made.start();
    await eventually(() => made.problems().length === 0, { withinMs: WITHIN_MS, describe: () => made.problems() });
  }, LIMIT_MS);

  afterAll(() => operator?.stop());

  // Kueue holds the quota of a Workload until it has let go of it, which it only does of kinds that it looks after.
  afterEach(async () => {
    const { items } = await client.list(PYTORCH_JOBS, { namespace: NAMESPACE });
    const names = items.map(({ metadata }) => metadata?.name ?? '');
    for (const name of names) await remove(name);
    await until(names, async () => {
      const left = await Promise.all(
        [WORKLOADS, PODS].map((each) => client.list<KubeObject>(each, { namespace: NAMESPACE })),
      );
      return left.every((list) => list.items.length === 0);
    });
  }, LIMIT_MS);

  it('the second of two jobs waits for the first, and both train and succeed', async () => {
    const first = await applyExample();
    await until([first], async () => (await podsOf(first)).length > 0);
    const second = 'pytorch-queued-next';
    await createLike(second);
    const waits = async () => /^True /.test(await suspension(second));
    await until([first, second], waits);
    if (isOwn) expect(await suspension(second)).toContain('True Queued: It waits in queue vision of Kueue');
    expect(await podsOf(second)).toEqual([]);
    await until([first, second], hasSucceeded(first));
    await until([first, second], hasSucceeded(second));
    await expectTrained(first);
    await expectTrained(second);
    expect(await beginOf(second)).toBeGreaterThanOrEqual(await endOf(first));
  });

  it('a job makes room for an urgent one, trains anew when that has ended, and succeeds', async () => {
    const first = await applyExample();
    const master = `${first}-master-0`;
    const trains = async () => /^epoch 1\//m.test(await logOf(master).catch(() => ''));
    await until([first], trains);
    const before = (await client.get(PODS, key(master))).metadata?.uid;
    const urgent = 'pytorch-urgent';
    await createLike(urgent, { 'kueue.x-k8s.io/priority-class': 'urgent' });
    await until([first, urgent], async () => (await podsOf(first)).length === 0);
    expect(await suspension(first)).toMatch(isOwn ? /^True Evicted: .*Preempted/ : /^True /);
    await until([first, urgent], hasSucceeded(urgent));
    await until([first, urgent], hasSucceeded(first));
    await expectTrained(urgent);
    await expectTrained(first);
    expect((await client.get(PODS, key(master))).metadata?.uid).not.toBe(before);
    expect(await beginOf(first)).toBeGreaterThanOrEqual(await endOf(urgent));
  });
});
