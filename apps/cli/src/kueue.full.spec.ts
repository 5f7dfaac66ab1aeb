/**
 * Jobs in queues of the real Kueue on simulated nodes: with Kueue's integrations, and with Workloads created by Muster. Builds Kueue if
 * it is missing, which takes minutes.
 */
import { SIMULATE_LABEL } from '@muster/cluster';
import { LABELS, NODES, PODS, type KubeObject } from '@muster/job-api';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  BUILD_LIMIT_MS,
  key,
  KueueFixture,
  LIMIT_MS,
  WORKLOADS,
  type Workload,
} from '../test-support/kueue-fixture.ts';
import { queueCases } from '../test-support/queue-cases.ts';
import { queuedKinds } from '../test-support/queued-kinds.ts';

const RACKS = ['east', 'west'];
const RACK = 'test.muster.dev/rack';
const HOST = 'kubernetes.io/hostname';
const TOLERATION = { key: 'given-by-kueue', operator: 'Exists' };

/** A pod of one CPU. */
const template = (name: string) => ({
  spec: { containers: [{ name, image: 'registry.example/train:1', resources: { requests: { cpu: '1' } } }] },
});
const KINDS = queuedKinds({ template });
const PYTORCH = KINDS[0]!;
const role = (replicas = 1) => ({ replicas, restartPolicy: 'Never', template: template('pytorch') });

let fixture: KueueFixture;

beforeAll(async () => {
  fixture = await KueueFixture.up({
    ...{ name: `kueue-${process.pid}`, nodes: RACKS.length },
    ...{ queue: 'team', withinMs: 180_000 },
    endPod: (client, pod) => client.patch(PODS, key(pod), { metadata: { labels: { [SIMULATE_LABEL]: 'succeed' } } }),
  });
  await fixture.createQueues(
    manifest('ResourceFlavor', 'any', { tolerations: [TOLERATION] }),
    ...queue('team', 'any', '2'),
    ...queue('wide', 'any', '4'),
    { kind: 'WorkloadPriorityClass', metadata: { name: 'urgent' }, value: 1000 } as KubeObject,
  );
  await makeRacks();
}, BUILD_LIMIT_MS);

afterAll(() => fixture?.down(), LIMIT_MS);

function manifest(kind: string, name: string, spec: object): KubeObject {
  return { kind, metadata: { name }, spec } as KubeObject;
}

function queue(name: string, flavor: string, cpus: string): KubeObject[] {
  const flavors = [{ name: flavor, resources: [{ name: 'cpu', nominalQuota: cpus }] }];
  const clusterQueue = {
    namespaceSelector: {},
    preemption: { withinClusterQueue: 'LowerPriority' },
    resourceGroups: [{ coveredResources: ['cpu'], flavors }],
  };
  return [manifest('ClusterQueue', name, clusterQueue), manifest('LocalQueue', name, { clusterQueue: name })];
}

/** Each node is a separate rack, so without topology the scheduler spreads two pods over two racks. */
async function makeRacks(): Promise<void> {
  const { items } = await fixture.client.list(NODES);
  for (const [index, { metadata }] of items.entries()) {
    const labels = { [RACK]: RACKS[index] ?? '' };
    await fixture.client.patch(NODES, { name: metadata?.name ?? '' }, { metadata: { labels } });
  }
  const nodeLabels = { 'kubernetes.io/os': 'linux' };
  await fixture.createQueues(
    manifest('Topology', 'racks', { levels: [{ nodeLabel: RACK }, { nodeLabel: HOST }] }),
    manifest('ResourceFlavor', 'racked', { nodeLabels, tolerations: [{ operator: 'Exists' }], topologyName: 'racks' }),
    ...queue('racked', 'racked', '20'),
  );
}

describe.each([
  { mode: "with Kueue's integrations", isOwn: false },
  { mode: 'with Muster in their place', isOwn: true },
])('$mode', { timeout: LIMIT_MS }, ({ isOwn }) => {
  const kinds = KINDS.filter(({ isUnknownToKueue }) => isOwn || isUnknownToKueue !== true);

  beforeAll(() => fixture.startOperators(isOwn), LIMIT_MS);
  afterAll(() => fixture.stopOperators(), LIMIT_MS);
  afterEach(() => fixture.removeAll(kinds), LIMIT_MS);

  queueCases({
    fixture: () => fixture,
    kinds,
    isOwn,
    given: { tolerations: expect.arrayContaining([TOLERATION]) as unknown },
  });

  it('counts init containers one after the other, and sidecars beside the other containers', async () => {
    const requests = (cpu: string) => ({ image: 'registry.example/train:1', resources: { requests: { cpu } } });
    const spec = (initContainer: object) => ({
      containers: [{ name: 'pytorch', ...requests('500m') }],
      initContainers: [{ name: 'first', ...requests('1500m'), ...initContainer }],
    });
    const ofRole = (initContainer: object) => ({ ...role(), template: { spec: spec(initContainer) } });
    const cases = [
      { name: 'init', initContainer: {}, cpu: '1500m' },
      { name: 'sidecar', initContainer: { restartPolicy: 'Always' }, cpu: '2' },
    ];
    for (const { name, initContainer, cpu } of cases) {
      await fixture.create(PYTORCH, name, { pytorchReplicaSpecs: { Master: ofRole(initContainer) } });
      await fixture.until(PYTORCH, [name], fixture.runs(name, 1));
      const [workload] = await fixture.workloadsOf(PYTORCH, name);
      expect(workload?.status?.admission?.podSetAssignments).toMatchObject([{ resourceUsage: { cpu } }]);
      await fixture.remove(PYTORCH, name);
    }
  });

  it('schedules all pods of a role to one rack if its template requests it', async () => {
    const { spec } = template('pytorch');
    const annotations = { 'kueue.x-k8s.io/podset-required-topology': RACK };
    const ofRole = { ...role(4), template: { metadata: { annotations }, spec } };
    const labels = { 'kueue.x-k8s.io/queue-name': 'racked' };
    await fixture.create(PYTORCH, 'racked', { pytorchReplicaSpecs: { Worker: ofRole } }, { labels });
    await fixture.until(PYTORCH, ['racked'], fixture.runs('racked', 4));
    const [workload] = await fixture.workloadsOf(PYTORCH, 'racked');
    expect(workload).toMatchObject({
      spec: {
        podSets: [{ topologyRequest: { required: RACK, podIndexLabel: LABELS.replicaIndex } }],
      },
      status: { admission: { podSetAssignments: [{ topologyAssignment: { levels: [HOST] } }] } },
    });
    const pods = await fixture.podsOf('racked');
    expect(pods.map((pod) => pod.spec?.schedulingGates ?? [])).toEqual([[], [], [], []]);
    const places = new Set(pods.map((pod) => `${pod.spec?.nodeSelector?.[HOST]} ${pod.spec?.nodeName}`));
    expect([...places]).toHaveLength(1);
    expect([...places][0]).toMatch(/^(\S+) \1$/);
    await fixture.remove(PYTORCH, 'racked');
  });
});

describe('with Workloads created by Muster, and workload slices', { timeout: LIMIT_MS }, () => {
  const labels = { 'kueue.x-k8s.io/queue-name': 'wide' };

  beforeAll(() => fixture.startOperators(true, ['ElasticJobsViaWorkloadSlices']), LIMIT_MS);
  afterAll(() => fixture.stopOperators(), LIMIT_MS);
  afterEach(() => fixture.removeAll([PYTORCH]), LIMIT_MS);

  it('a job that is scaled up keeps running, and gets its new pods when there is quota for them', async () => {
    const [job, other] = ['grows', 'in-the-way'];
    const annotations = { 'kueue.x-k8s.io/elastic-job': 'true' };
    const spec = { elasticPolicy: { minReplicas: 1, maxReplicas: 4 }, pytorchReplicaSpecs: { Worker: role(2) } };
    await fixture.create(PYTORCH, job, spec, { labels, annotations });
    await fixture.create(PYTORCH, other, { pytorchReplicaSpecs: { Master: role() } }, { labels });
    const begun = async () => (await fixture.runs(job)()) && (await fixture.runs(other, 1)());
    await fixture.until(PYTORCH, [job, other], begun);
    const [first] = await fixture.workloadUids(PYTORCH, job);
    const before = await uidsOf(job);

    await fixture.client.patch(PYTORCH.resource, key(job), resized(4));
    await fixture.until(PYTORCH, [job, other], async () => {
      const workloads = await fixture.workloadsOf(PYTORCH, job);
      const waits = workloads.filter(({ status }) =>
        status?.conditions?.some((each) => each.type === 'QuotaReserved' && each.status === 'False'),
      );
      return workloads.length === 2 && waits.length === 1;
    });
    expect(await uidsOf(job)).toEqual(before);

    await fixture.end(PYTORCH, other);
    await fixture.until(PYTORCH, [job, other], fixture.runs(job, 4));
    await fixture.until(PYTORCH, [job], async () => (await fixture.workloadsOf(PYTORCH, job)).length === 1);
    expect(await uidsOf(job)).toEqual(expect.arrayContaining(before));
    const [now] = await fixture.workloadsOf(PYTORCH, job);
    expect(now?.metadata?.uid).not.toBe(first);
    expect(now?.status?.admission?.podSetAssignments).toMatchObject([{ count: 4 }]);

    // It needs new quota for the released pods. The former Workload must not change while Kueue replaces it.
    for (let round = 0; round < 5; round++) {
      await resize(job, 4);
      await shrink(job);
      await resize(job, 3);
      await fixture.until(PYTORCH, [job], hasQuotaFor(job, 3));
    }
    await fixture.end(PYTORCH, job);
    await fixture.until(PYTORCH, [job], async () => {
      const [last] = await fixture.workloadsOf(PYTORCH, job);
      return last?.status?.conditions?.some(({ type, status }) => type === 'Finished' && status === 'True') ?? false;
    });
  });

  it('a job gets its new pods also if Kueue loses its next Workload because the former changes during the replacement', async () => {
    const job = 'lost-slice';
    const annotations = { 'kueue.x-k8s.io/elastic-job': 'true' };
    const spec = { elasticPolicy: { minReplicas: 1, maxReplicas: 4 }, pytorchReplicaSpecs: { Worker: role(2) } };
    await fixture.create(PYTORCH, job, spec, { labels, annotations });
    await fixture.until(PYTORCH, [job], fixture.runs(job, 2));
    let lost = 0;
    for (let tries = 0; lost === 0 && tries < TRIES; tries++) {
      await shrink(job);
      await fixture.client.patch(PYTORCH.resource, key(job), resized(3));
      await fixture.until(PYTORCH, [job], async () => {
        const workloads = await fixture.workloadsOf(PYTORCH, job);
        if (workloads.some(isSilent)) lost++;
        else if (workloads.length > 1) await disturb(workloads, tries);
        return hasQuotaFor(job, 3)();
      });
      await fixture.until(PYTORCH, [job], fixture.runs(job, 3));
      await resize(job, 4);
    }
    expect(lost).toBeGreaterThan(0);
  });
});

/** How often Kueue may succeed despite the disturbance, which prevents about every second attempt. */
const TRIES = 30;

const resized = (replicas: number) => ({ spec: { pytorchReplicaSpecs: { Worker: { replicas } } } });

async function resize(job: string, replicas: number): Promise<void> {
  await fixture.client.patch(PYTORCH.resource, key(job), resized(replicas));
  await fixture.until(PYTORCH, [job], fixture.runs(job, replicas));
}

/** Scales from 4 pods to 2, and waits until the Workload has the new size. */
async function shrink(job: string): Promise<void> {
  await resize(job, 2);
  await fixture.until(PYTORCH, [job], async () => {
    const workloads = await fixture.workloadsOf(PYTORCH, job);
    const [{ status } = {}] = workloads;
    const kept = (status?.admission?.podSetAssignments?.[0]?.count ?? 0) - (status?.reclaimablePods?.[0]?.count ?? 0);
    return workloads.length === 1 && kept === 2;
  });
}

function hasQuotaFor(job: string, pods: number): () => Promise<boolean> {
  return async () => {
    const [last, ...others] = await fixture.workloadsOf(PYTORCH, job);
    return others.length === 0 && last?.status?.admission?.podSetAssignments?.[0]?.count === pods;
  };
}

/** Whether Kueue has written that the Workload waits, without a reason. */
function isSilent({ status }: Workload): boolean {
  return (status?.conditions ?? []).some(
    (each) => each.type === 'QuotaReserved' && each.status === 'False' && each.message === '',
  );
}

/** Changes the Workload that has the quota, so that Kueue's write gets a Conflict. */
async function disturb(workloads: readonly Workload[], value: number): Promise<void> {
  const former = workloads.find(({ status }) => status?.admission !== undefined);
  if (former?.metadata?.name === undefined) return;
  for (let write = 0; write < 20; write++) {
    const annotations = { 'test.muster.dev/write': `${value}.${write}` };
    await fixture.client.patch(WORKLOADS, key(former.metadata.name), { metadata: { annotations } });
  }
}

async function uidsOf(job: string): Promise<(string | undefined)[]> {
  return (await fixture.podsOf(job)).map(({ metadata }) => metadata?.uid);
}
