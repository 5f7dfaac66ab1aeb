/** Jobs under Kubernetes' own gang scheduling: an API server, a controller manager and a scheduler with its feature gates. */
import { clusterDown, clusterUp } from '@muster/cluster';
import { NATIVE_POD_GROUPS, PODS, type NativePodGroup } from '@muster/job-api';
import { createKubeClient, loadCluster, type ClusterClient } from '@muster/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gangCases } from '../test-support/gang-cases.ts';
import { GangStage } from '../test-support/gang-stage.ts';

const CLUSTER = `gang-${process.pid}`;
const LIMIT_MS = 420_000;

let client: ClusterClient;
let stage: GangStage;

beforeAll(async () => {
  const { kubeconfig } = await clusterUp({
    name: CLUSTER,
    nodes: 1,
    featureGates: ['GenericWorkload', 'GangScheduling'],
    apiVersions: ['scheduling.k8s.io/v1alpha2'],
  });
  client = createKubeClient(await loadCluster({ kubeconfig }), { userAgent: 'muster-test/0' });
  stage = new GangStage(client, 'kubernetes');
  await stage.start();
}, LIMIT_MS);

afterAll(async () => {
  await stage?.stop();
  await client?.close();
  await clusterDown({ name: CLUSTER });
}, LIMIT_MS);

async function group(name: string): Promise<NativePodGroup | undefined> {
  const { items } = await client.list(NATIVE_POD_GROUPS, { namespace: 'default' });
  return items.find(({ metadata }) => metadata?.name === name);
}

async function least(name: string): Promise<number | undefined> {
  return (await group(name))?.spec?.schedulingPolicy?.gang?.minCount;
}

const minAvailable = (count: number) => ({ schedulingPolicy: { minAvailable: count } });

describe("under Kubernetes' own gang scheduling", { timeout: LIMIT_MS }, () => {
  gangCases({ stage: () => stage, unschedulable: /^Unschedulable: /, least });

  it('a change of the least is told, and holds when all pods are made anew', async () => {
    await stage.create({ name: 'changed', workers: 3, runPolicy: minAvailable(2) });
    await stage.until(async () => (await stage.job('changed')).status?.ready === '4/4', 'changed');
    const before = await group('changed');
    expect(before?.spec).toMatchObject({ schedulingPolicy: { gang: { minCount: 2 } } });

    await stage.change('changed', { spec: { runPolicy: minAvailable(3) } });
    await stage.until(async () => {
      const told = (await stage.job('changed')).status?.conditions?.find(({ type }) => type === 'Running')?.message;
      expect(told).toMatch(/^The change of the spec is not applied to PodGroup changed, .* 2 pods instead of 3, until/);
      return true;
    }, 'changed');
    expect((await group('changed'))?.metadata?.uid).toBe(before?.metadata?.uid);

    await stage.change('changed', { spec: { runPolicy: { suspend: true } } });
    await stage.until(async () => (await group('changed')) === undefined, 'changed');
    await stage.change('changed', { spec: { runPolicy: { suspend: false } } });
    await stage.until(async () => {
      expect(await least('changed')).toBe(3);
      expect((await stage.job('changed')).status?.ready).toBe('4/4');
      return true;
    }, 'changed');
    await stage.remove('changed');
  });

  it('a pod that is made again after others are done is not held back by a group that cannot be whole', async () => {
    await stage.create({ name: 'late', workers: 2 });
    await stage.until(async () => (await stage.job('late')).status?.ready === '3/3', 'late');
    await stage.end('late', 'succeed', 'worker-0');
    await stage.until(
      async () => (await stage.job('late')).status?.replicaStatuses?.['Worker']?.succeeded === 1,
      'late',
    );
    const before = await client.get(PODS, { namespace: 'default', name: 'late-worker-1' });
    await stage.end('late', 'fail', 'worker-1');
    await stage.until(async () => {
      const { metadata, status } = await client.get(PODS, { namespace: 'default', name: 'late-worker-1' });
      return metadata?.uid !== before.metadata?.uid && status?.phase === 'Running';
    }, 'late');
    // The group stays as long as the job, and goes with its end.
    expect(await least('late')).toBe(3);
    await stage.end('late');
    await stage.until(async () => (await stage.job('late')).status?.state === 'Succeeded', 'late');
    await stage.until(async () => (await group('late')) === undefined, 'late');
    await stage.remove('late');
  });
});
