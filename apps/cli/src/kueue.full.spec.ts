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
  LABELS,
  MPI_JOBS,
  mpiJobDefinition,
  MX_JOBS,
  mxJobDefinition,
  NODES,
  PODS,
  PYTORCH_JOBS,
  pytorchJobDefinition,
  RAY_CLUSTERS,
  RAY_JOBS,
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
const RACKS = ['east', 'west'];
const RACK = 'test.muster.dev/rack';
const HOST = 'kubernetes.io/hostname';
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const INTEGRATIONS = [
  'kubeflow.org/pytorchjob',
  'kubeflow.org/tfjob',
  'kubeflow.org/mpijob',
  'ray.io/raycluster',
  'ray.io/rayjob',
];

let client: ClusterClient;
let kueue: Kueue;

const ofKueue = (kind: string, plural: string, namespaced = false): Resource => ({
  ...{ group: 'kueue.x-k8s.io', version: 'v1beta2', kind, plural, namespaced },
});
interface Workload extends KubeObject {
  readonly status?: {
    readonly admission?: {
      readonly podSetAssignments?: readonly {
        readonly name: string;
        readonly resourceUsage?: Readonly<Record<string, string>>;
      }[];
    };
  };
}
const WORKLOADS: Resource<Workload> = ofKueue('Workload', 'workloads', true);
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

/** Two pods. */
const RAY_CLUSTER = {
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
};

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
    spec: RAY_CLUSTER,
  },
  {
    name: 'rayjob',
    resource: RAY_JOBS,
    // Kueue's integration refuses a job that does not give its cluster back.
    spec: {
      entrypoint: 'python train.py',
      submissionMode: 'HTTPMode',
      shutdownAfterJobFinishes: true,
      rayClusterSpec: RAY_CLUSTER,
    },
  },
];
const PYTORCH = KINDS[0]!;

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
  const cluster = await clusterUp({ name: CLUSTER, nodes: RACKS.length, progress: terminalProgress() });
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
  await makeQueue('team', 'any', '2');
  await client.create(PRIORITIES, { metadata: { name: 'urgent' }, value: 1000 });
  await makeRacks();
}, BUILD_LIMIT_MS);

/** Each node is a rack of its own, so Kubernetes' scheduler alone spreads two pods over two of them. */
async function makeRacks(): Promise<void> {
  const { items } = await client.list(NODES);
  for (const [index, { metadata }] of items.entries()) {
    await client.patch(NODES, { name: metadata?.name ?? '' }, { metadata: { labels: { [RACK]: RACKS[index] ?? '' } } });
  }
  await client.create(ofKueue('Topology', 'topologies'), {
    metadata: { name: 'racks' },
    spec: { levels: [{ nodeLabel: RACK }, { nodeLabel: HOST }] },
  } as KubeObject);
  await client.create(ofKueue('ResourceFlavor', 'resourceflavors'), {
    metadata: { name: 'racked' },
    spec: {
      nodeLabels: { 'kubernetes.io/os': 'linux' },
      tolerations: [{ operator: 'Exists' }],
      topologyName: 'racks',
    },
  } as KubeObject);
  await makeQueue('racked', 'racked', '20');
}

async function makeQueue(name: string, flavor: string, cpus: string): Promise<void> {
  await client.create(ofKueue('ClusterQueue', 'clusterqueues'), {
    metadata: { name },
    spec: {
      namespaceSelector: {},
      preemption: { withinClusterQueue: 'LowerPriority' },
      resourceGroups: [
        { coveredResources: ['cpu'], flavors: [{ name: flavor, resources: [{ name: 'cpu', nominalQuota: cpus }] }] },
      ],
    },
  } as KubeObject);
  await client.create(ofKueue('LocalQueue', 'localqueues', true), {
    metadata: { name, namespace: NAMESPACE },
    spec: { clusterQueue: name },
  } as KubeObject);
}

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

/** What is queued of a job: itself, or of a RayJob that Muster queues its RayCluster. */
async function queuedOf({ resource }: KindCase, name: string): Promise<JobManifest[]> {
  const job = await client.get(resource, key(name));
  if (resource !== RAY_JOBS) return [job];
  const { items } = await client.list(RAY_CLUSTERS, { namespace: NAMESPACE });
  return [job, ...(items as JobManifest[]).filter((each) => isControlledBy(job.metadata?.uid, each))];
}

async function workloadsOf(kind: KindCase, name: string): Promise<Workload[]> {
  const uids = (await queuedOf(kind, name)).map(({ metadata }) => metadata?.uid);
  const { items } = await client.list(WORKLOADS, { namespace: NAMESPACE });
  return items.filter((each) => uids.some((uid) => isControlledBy(uid, each)));
}

async function workloadUids(kind: KindCase, name: string): Promise<(string | undefined)[]> {
  return (await workloadsOf(kind, name)).map(({ metadata }) => metadata?.uid);
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
  // Kueue holds the quota of a Workload until it has let go of it, which it only does of kinds that it looks after.
  let left: (string | undefined)[] = [];
  const isGone = async () => {
    const { items } = await client.list(WORKLOADS, { namespace: NAMESPACE });
    const owned = items.filter(({ metadata }) => metadata?.ownerReferences?.some((owner) => isOf(name, owner.name)));
    left = [...(await podsOf(name)), ...owned].map(({ metadata }) => metadata?.name);
    return left.length === 0;
  };
  await eventually(isGone, { withinMs: WITHIN_MS, describe: () => ({ name, left, kueue: kueue.log() }) });
}

/** A RayCluster of a RayJob has a name that begins with the job's. */
function isOf(job: string, name: string): boolean {
  return name === job || name.startsWith(`${job}-`);
}

/** A RayCluster has the engine's record in a field of its status. */
function suspension({ status = {} }: JobManifest): string {
  const { muster, ...shown } = status as JobStatus & { readonly muster?: JobStatus };
  const { conditions = [] } = muster ?? shown;
  const found = conditions.find(({ type }) => type === 'Suspended');
  return `${found?.status} ${found?.reason}: ${found?.message}`;
}

async function suspensionsOf(kind: KindCase, name: string): Promise<string> {
  return (await queuedOf(kind, name)).map(suspension).join('\n');
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
      const [texts, uids] = [await suspensionsOf(kind, second), await workloadUids(kind, second)];
      return uids.length === 1 && (isOwn ? /^True Queued: .*insufficient unused quota/m.test(texts) : true);
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
    if (isOwn) expect(await suspensionsOf(kind, first)).toMatch(/^True Evicted: .*Preempted/m);
    await end(kind, urgent);
    await until(kind, [first, urgent], runs(first));
    await remove(kind, urgent);
    await remove(kind, first);
  });

  it.runIf(isOwn)('an elastic job starts as small as there is room', async () => {
    const kind = PYTORCH;
    const spec = {
      elasticPolicy: { minReplicas: 1, maxReplicas: 4 },
      pytorchReplicaSpecs: { Worker: role('pytorch', 4) },
    };
    await create(kind, 'elastic', spec);
    await until(kind, ['elastic'], runs('elastic', 2));
    await remove(kind, 'elastic');
  });

  it('init containers count, one after the other, and beside the others where they stay', async () => {
    const requests = (cpu: string) => ({ image: 'registry.example/train:1', resources: { requests: { cpu } } });
    const spec = (initContainer: object) => ({
      containers: [{ name: 'pytorch', ...requests('500m') }],
      initContainers: [{ name: 'first', ...requests('1500m'), ...initContainer }],
    });
    const ofRole = (initContainer: object) => ({ ...role('pytorch'), template: { spec: spec(initContainer) } });
    const cases = [
      { name: 'init', initContainer: {}, cpu: '1500m' },
      { name: 'sidecar', initContainer: { restartPolicy: 'Always' }, cpu: '2' },
    ];
    for (const { name, initContainer, cpu } of cases) {
      await create(PYTORCH, name, { pytorchReplicaSpecs: { Master: ofRole(initContainer) } });
      await until(PYTORCH, [name], runs(name, 1));
      const [workload] = await workloadsOf(PYTORCH, name);
      expect(workload?.status?.admission?.podSetAssignments).toMatchObject([{ resourceUsage: { cpu } }]);
      await remove(PYTORCH, name);
    }
  });

  it('all pods of a role come to one rack where its template asks for it', async () => {
    const { spec } = template('pytorch');
    const annotations = { 'kueue.x-k8s.io/podset-required-topology': RACK };
    const ofRole = { ...role('pytorch', 4), template: { metadata: { annotations }, spec } };
    const labels = { 'kueue.x-k8s.io/queue-name': 'racked' };
    await create(PYTORCH, 'racked', { pytorchReplicaSpecs: { Worker: ofRole } }, labels);
    await until(PYTORCH, ['racked'], runs('racked', 4));
    const [workload] = await workloadsOf(PYTORCH, 'racked');
    expect(workload).toMatchObject({
      spec: {
        podSets: [{ topologyRequest: { required: RACK, podIndexLabel: LABELS.replicaIndex } }],
      },
      status: { admission: { podSetAssignments: [{ topologyAssignment: { levels: [HOST] } }] } },
    });
    const pods = await podsOf('racked');
    expect(pods.map((pod) => pod.spec?.schedulingGates ?? [])).toEqual([[], [], [], []]);
    const places = new Set(pods.map((pod) => `${pod.spec?.nodeSelector?.[HOST]} ${pod.spec?.nodeName}`));
    expect([...places]).toHaveLength(1);
    expect([...places][0]).toMatch(/^(\S+) \1$/);
    await remove(PYTORCH, 'racked');
  });
});
