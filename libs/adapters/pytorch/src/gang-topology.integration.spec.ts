/** Topology-aware gangs under Kubernetes' own scheduler with its feature gates. */
import { clusterDown, clusterUp, nativeGangs } from '@muster/cluster';
import { NATIVE_POD_GROUPS, NODES, type KubeObject, type Resource } from '@muster/job-api';
import { createKubeClient, loadCluster, type ClusterClient } from '@muster/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GangFixture } from '../test-support/gang-fixture.ts';

const CLUSTER = `gang-topology-${process.pid}`;
const LIMIT_MS = 420_000;
const RACK = 'example.com/rack';
const PRIORITY_CLASSES: Resource<KubeObject & { value: number }> = {
  group: 'scheduling.k8s.io',
  version: 'v1',
  kind: 'PriorityClass',
  plural: 'priorityclasses',
  namespaced: false,
};

let client: ClusterClient;
let fixture: GangFixture;

beforeAll(async () => {
  const { kubeconfig } = await clusterUp({
    name: CLUSTER,
    nodes: 2,
    ...nativeGangs({ isWithWishes: true, kubernetesVersion: process.env.MUSTER_TEST_KUBERNETES_VERSION }),
  });
  client = createKubeClient(await loadCluster({ kubeconfig }), { userAgent: 'muster-test/0' });
  const { items } = await client.list(NODES);
  for (const [index, { metadata }] of items.entries()) {
    await client.patch(NODES, { name: metadata?.name ?? '' }, { metadata: { labels: { [RACK]: `rack-${index}` } } });
  }
  await client.create(PRIORITY_CLASSES, {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name: 'high' },
    value: 1000,
  });
  fixture = new GangFixture(client, ['kubernetes']);
  await fixture.start();
}, LIMIT_MS);

afterAll(async () => {
  await fixture?.stop();
  await client?.close();
  await clusterDown({ name: CLUSTER });
}, LIMIT_MS);

async function nodesOf(name: string): Promise<number> {
  const pods = await fixture.pods(name);
  return new Set(pods.map(({ spec }) => spec?.nodeName)).size;
}

describe("under Kubernetes' own gang scheduling with topologies", { timeout: LIMIT_MS }, () => {
  it("places all pods of a job in one rack, and gives its group the job's priority", async () => {
    await fixture.create({
      name: 'near',
      workers: 5,
      annotations: { 'muster.dev/gang-topology': RACK },
      runPolicy: { schedulingPolicy: { priorityClass: 'high' } },
    });
    await fixture.until(async () => (await fixture.job('near')).status?.ready === '6/6', 'near');
    expect(await nodesOf('near')).toBe(1);
    const { spec } = await client.get(NATIVE_POD_GROUPS, { namespace: 'default', name: 'near' });
    expect(spec).toMatchObject({ priorityClassName: 'high', schedulingConstraints: { topology: [{ key: RACK }] } });
    expect((await fixture.events('near')).filter((event) => event.startsWith('SchedulingPolicyNotMet'))).toEqual([]);
    await fixture.remove('near');
  });

  it('leaves a job that is larger than a rack pending, and reports that', async () => {
    await fixture.create({ name: 'wide', workers: 9, annotations: { 'muster.dev/gang-topology': RACK } });
    await fixture.until(
      async () => (await fixture.events('wide')).some((event) => /^Unschedulable: /.test(event)),
      'wide',
    );
    expect(await fixture.placed('wide')).toMatchObject({ placed: 0 });
    await fixture.remove('wide');
  });
});
