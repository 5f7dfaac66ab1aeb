/**
 * Jobs in a queue of the real Kueue that has room for one of two: with Kueue's own integrations, and with Muster making the
 * Workloads in their place. Kueue is built when it is not there, which takes minutes.
 */
import { mpiAdapter } from '@muster/adapter-mpi';
import { mxAdapter } from '@muster/adapter-mxnet';
import { pytorchAdapter } from '@muster/adapter-pytorch';
import { rayAdapters } from '@muster/adapter-ray';
import { tfAdapter } from '@muster/adapter-tensorflow';
import { clusterDown, clusterUp, terminalProgress } from '@muster/cluster';
import {
  createJobOperator,
  isControlledBy,
  type FrameworkAdapter,
  type JobManifest,
} from '@muster/common-job-controller';
import {
  crdFor,
  MPI_JOBS,
  mpiJobDefinition,
  MX_JOBS,
  mxJobDefinition,
  PODS,
  PYTORCH_JOBS,
  pytorchJobDefinition,
  RAY_CLUSTERS,
  rayClusterDefinition,
  rayJobDefinition,
  TF_JOBS,
  tfJobDefinition,
  type JobStatus,
  type KubeObject,
  type Pod,
  type Resource,
} from '@muster/job-api';
import { createKubeClient, isKubeError, loadCluster, type ClusterClient } from '@muster/kube';
import { startKueue, type Kueue } from '@muster/schedulers';
import { eventually, installCrd, loneOperatorOptions, TravelClock } from '@muster/testing';
import { Registry } from 'prom-client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

const CLUSTER = `kueue-${process.pid}`;
const NAMESPACE = 'default';
const WITHIN_MS = 180_000;
const LIMIT_MS = 900_000;
const BUILD_LIMIT_MS = 3_600_000;
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const INTEGRATIONS = ['kubeflow.org/pytorchjob', 'kubeflow.org/tfjob', 'kubeflow.org/mpijob', 'ray.io/raycluster'];

let client: ClusterClient;
let kueue: Kueue;

const ofKueue = (kind: string, plural: string, namespaced = false): Resource => ({
  ...{ group: 'kueue.x-k8s.io', version: 'v1beta2', kind, plural, namespaced },
});
const WORKLOADS: Resource<KubeObject & { status?: object }> = ofKueue('Workload', 'workloads', true);
const PRIORITIES: Resource<KubeObject & { value?: number }> = ofKueue(
  'WorkloadPriorityClass',
  'workloadpriorityclasses',
);

/** A pod of one CPU. */
const template = (name: string) => ({
  spec: { containers: [{ name, image: 'registry.example/train:1', resources: { requests: { cpu: '1' } } }] },
});
const role = (name: string, replicas = 1) => ({ replicas, restartPolicy: 'Never', template: template(name) });

interface KindCase {
  readonly name: string;
  readonly resource: Resource<JobManifest>;
  readonly apiVersion?: string;
  /** Of two pods of one CPU each. */
  readonly spec: object;
  /** The pods by whose end the job ends; undefined of one that is deleted. */
  readonly ends?: RegExp;
}

const KINDS: readonly KindCase[] = [
  {
    name: 'pytorch',
    resource: PYTORCH_JOBS,
    spec: { pytorchReplicaSpecs: { Master: role('pytorch'), Worker: role('pytorch') } },
    ends: /./,
  },
  { name: 'tf', resource: TF_JOBS, spec: { tfReplicaSpecs: { Worker: role('tensorflow', 2) } }, ends: /./ },
  {
    name: 'mpi',
    resource: { ...MPI_JOBS, version: 'v2beta1' },
    spec: { mpiReplicaSpecs: { Launcher: role('mpi'), Worker: role('mpi') } },
    ends: /launcher/,
  },
  {
    name: 'ray',
    resource: RAY_CLUSTERS,
    spec: {
      headGroupSpec: { rayStartParams: {}, template: template('ray-head') },
      workerGroupSpecs: [
        {
          groupName: 'small',
          replicas: 1,
          minReplicas: 1,
          maxReplicas: 1,
          rayStartParams: {},
          template: template('ray-worker'),
        },
      ],
    },
  },
];

const OWN_KINDS: readonly KindCase[] = [
  ...KINDS,
  {
    name: 'mx',
    resource: MX_JOBS,
    spec: { jobMode: 'MXTrain', mxReplicaSpecs: { Scheduler: role('mxnet'), Worker: role('mxnet') } },
    ends: /./,
  },
];

beforeAll(async () => {
  const cluster = await clusterUp({ name: CLUSTER, nodes: 1, progress: terminalProgress() });
  client = createKubeClient(await loadCluster({ kubeconfig: cluster.kubeconfig }), { userAgent: 'muster-test/0' });
  const crds = [
    crdFor(pytorchJobDefinition),
    crdFor(tfJobDefinition),
    crdFor(mpiJobDefinition),
    crdFor(mxJobDefinition),
    crdFor(rayClusterDefinition),
    crdFor(rayJobDefinition),
  ];
  for (const crd of crds) await installCrd(client, crd);
  kueue = await startKueue(cluster, INTEGRATIONS);
  await client.create(ofKueue('ResourceFlavor', 'resourceflavors'), {
    metadata: { name: 'any' },
    spec: { tolerations: [{ key: 'given-by-kueue', operator: 'Exists' }] },
  } as KubeObject);
  await client.create(ofKueue('ClusterQueue', 'clusterqueues'), {
    metadata: { name: 'two-cpus' },
    spec: {
      namespaceSelector: {},
      preemption: { withinClusterQueue: 'LowerPriority' },
      resourceGroups: [
        { coveredResources: ['cpu'], flavors: [{ name: 'any', resources: [{ name: 'cpu', nominalQuota: '2' }] }] },
      ],
    },
  } as KubeObject);
  await client.create(ofKueue('LocalQueue', 'localqueues', true), {
    metadata: { name: 'team', namespace: NAMESPACE },
    spec: { clusterQueue: 'two-cpus' },
  } as KubeObject);
  await client.create(PRIORITIES, { metadata: { name: 'urgent' }, value: 1000 });
}, BUILD_LIMIT_MS);

afterAll(async () => {
  await kueue?.stop();
  await client?.close();
  await clusterDown({ name: CLUSTER });
}, LIMIT_MS);

const key = (name: string) => ({ namespace: NAMESPACE, name });

function create({ resource }: KindCase, name: string, spec: object, labels: Record<string, string> = {}) {
  return client.create(resource, {
    metadata: { ...key(name), labels: { 'kueue.x-k8s.io/queue-name': 'team', ...labels } },
    spec,
  });
}

async function podsOf(name: string): Promise<Pod[]> {
  const { items } = await client.list(PODS, { namespace: NAMESPACE });
  return items.filter(
    ({ metadata }) => metadata?.name?.startsWith(`${name}-`) && metadata.deletionTimestamp === undefined,
  );
}

async function until(kind: KindCase, names: readonly string[], check: () => Promise<boolean>): Promise<void> {
  let seen: unknown;
  const checked = async () => {
    const jobs = names.map(async (name) => ({
      status: (await client.get(kind.resource, key(name)).catch(() => undefined))?.status,
      pods: (await podsOf(name)).map(({ metadata, status }) => `${metadata?.name} ${status?.phase}`),
    }));
    const { items } = await client.list(WORKLOADS, { namespace: NAMESPACE });
    seen = { jobs: await Promise.all(jobs), workloads: items.map(({ metadata, status }) => [metadata?.name, status]) };
    return check();
  };
  await eventually(checked, { withinMs: WITHIN_MS, describe: () => JSON.stringify({ seen, kueue: kueue.log() }) });
}

const runs =
  (name: string, pods = 2) =>
  async () => {
    const all = await podsOf(name);
    return all.length === pods && all.every(({ status }) => status?.phase === 'Running');
  };

async function workloadUids({ resource }: KindCase, name: string): Promise<(string | undefined)[]> {
  const { uid } = (await client.get(resource, key(name))).metadata ?? {};
  const { items } = await client.list(WORKLOADS, { namespace: NAMESPACE });
  return items.filter((each) => isControlledBy(uid, each)).map(({ metadata }) => metadata?.uid);
}

async function end(kind: KindCase, name: string): Promise<void> {
  const { ends } = kind;
  if (ends === undefined) return remove(kind, name);
  for (const { metadata } of await podsOf(name)) {
    if (!ends.test(metadata?.name ?? '')) continue;
    const labels = { 'muster.dev/simulate': 'succeed' };
    await client.patch(PODS, key(metadata?.name ?? ''), { metadata: { labels } });
  }
}

async function remove({ resource }: KindCase, name: string): Promise<void> {
  await client.delete(resource, key(name), { propagationPolicy: 'Background' }).catch((error: unknown) => {
    if (!isKubeError(error, 'NotFound')) throw error;
  });
  const { items } = await client.list(WORKLOADS, { namespace: NAMESPACE });
  const isGone = async () => (await podsOf(name)).length === 0;
  await eventually(isGone, { withinMs: WITHIN_MS, describe: () => ({ name, items: items.length }) });
}

/** A RayCluster has the engine's record in a field of its status. */
function suspension({ status = {} }: JobManifest): string {
  const { muster, ...shown } = status as JobStatus & { readonly muster?: JobStatus };
  const { conditions = [] } = muster ?? shown;
  const found = conditions.find(({ type }) => type === 'Suspended');
  return `${found?.status} ${found?.reason}: ${found?.message}`;
}

describe.each([
  { mode: "with Kueue's integrations", isOwn: false, kinds: KINDS },
  { mode: 'with Muster in their place', isOwn: true, kinds: OWN_KINDS },
])('$mode', { timeout: LIMIT_MS }, ({ isOwn, kinds }) => {
  const operators: { stop(): Promise<void> }[] = [];

  beforeAll(async () => {
    if (isOwn) await kueue.restart(['batch/job']);
    const frameworks: [FrameworkAdapter, ...FrameworkAdapter[]][] = [
      [pytorchAdapter()],
      [tfAdapter()],
      [mpiAdapter()],
      [mxAdapter()],
      rayAdapters() as unknown as [FrameworkAdapter],
    ];
    for (const adapters of frameworks) {
      const base = { client, namespaces: [NAMESPACE], serviceMode: 'PerJob', logger: silent } as const;
      const options = loneOperatorOptions({ ...base, clock: new TravelClock() });
      const settings = { ...options.settings, kueue: isOwn };
      const operator = createJobOperator({ ...options, settings, adapters, registry: new Registry() });
      operators.push(operator);
      await operator.start();
      const problems = () => operator.problems();
      await eventually(() => problems().length === 0, { withinMs: WITHIN_MS, describe: problems });
    }
  }, LIMIT_MS);

  afterAll(() => Promise.all(operators.map((operator) => operator.stop())));

  // What a case that failed has left would keep the quota from the next one.
  afterEach(async () => {
    for (const kind of kinds) {
      const { items } = await client.list(kind.resource, { namespace: NAMESPACE });
      for (const { metadata } of items) await remove(kind, metadata?.name ?? '');
    }
  }, LIMIT_MS);

  it.each(kinds)('jobs of $resource.kind run one after the other', async (kind) => {
    const [first, second] = [`${kind.name}-a`, `${kind.name}-b`];
    await create(kind, first, kind.spec);
    await until(kind, [first], runs(first));
    const [uid, ...others] = await workloadUids(kind, first);
    expect(others).toEqual([]);
    await create(kind, second, kind.spec);
    const waits = async () => {
      const [text, uids] = [suspension(await client.get(kind.resource, key(second))), await workloadUids(kind, second)];
      return uids.length === 1 && (isOwn ? /^True Queued: .*insufficient unused quota/.test(text) : true);
    };
    await until(kind, [first, second], waits);
    expect(await podsOf(second)).toEqual([]);
    const [pod] = await podsOf(first);
    expect(pod?.spec?.tolerations).toContainEqual({ key: 'given-by-kueue', operator: 'Exists' });
    expect(await workloadUids(kind, first)).toEqual([uid]);
    await end(kind, first);
    await until(kind, [first, second], runs(second));
    await remove(kind, first);
    await remove(kind, second);
  });

  it.each(kinds)('a $resource.kind makes room for one that is urgent, and goes on later', async (kind) => {
    const [first, urgent] = [`${kind.name}-c`, `${kind.name}-urgent`];
    await create(kind, first, kind.spec);
    await until(kind, [first], runs(first));
    await create(kind, urgent, kind.spec, { 'kueue.x-k8s.io/priority-class': 'urgent' });
    await until(kind, [first, urgent], async () => (await runs(urgent)()) && (await podsOf(first)).length === 0);
    if (isOwn) expect(suspension(await client.get(kind.resource, key(first)))).toMatch(/^True Evicted: .*Preempted/);
    await end(kind, urgent);
    await until(kind, [first, urgent], runs(first));
    await remove(kind, urgent);
    await remove(kind, first);
  });

  it.runIf(isOwn)('an elastic job starts as small as there is room', async () => {
    const kind = KINDS[0]!;
    const spec = {
      elasticPolicy: { minReplicas: 1, maxReplicas: 4 },
      pytorchReplicaSpecs: { Worker: role('pytorch', 4) },
    };
    await create(kind, 'elastic', spec);
    await until(kind, ['elastic'], runs('elastic', 2));
    await remove(kind, 'elastic');
  });
});
