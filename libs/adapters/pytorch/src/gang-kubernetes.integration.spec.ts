/** Kubernetes' own gang scheduling: an API server, a controller manager and a scheduler with its feature gates. */
import { clusterDown, clusterUp, nativeGangs } from '@muster/cluster';
import {
  ANNOTATIONS,
  COSCHEDULING_POD_GROUPS,
  NATIVE_POD_GROUPS,
  PODS,
  type CustomResourceDefinition,
  type KubeObject,
  type NativePodGroup,
  type Resource,
} from '@muster/job-api';
import { createKubeClient, loadCluster, type ClusterClient } from '@muster/kube';
import { installCrd } from '@muster/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gangCases } from '../test-support/gang-cases.ts';
import { GangFixture } from '../test-support/gang-fixture.ts';

const CLUSTER = `gang-${process.pid}`;
const LIMIT_MS = 420_000;

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
    nodes: 1,
    ...nativeGangs({ kubernetesVersion: process.env.MUSTER_TEST_KUBERNETES_VERSION }),
  });
  client = createKubeClient(await loadCluster({ kubeconfig }), { userAgent: 'muster-test/0' });
  await client.create(PRIORITY_CLASSES, {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name: 'high' },
    value: 1000,
  });
  fixture = new GangFixture(client, ['kubernetes', 'volcano', 'coscheduler']);
  await fixture.start();
}, LIMIT_MS);

afterAll(async () => {
  await fixture?.stop();
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

/** Reduced to what an operator uses. */
function podGroupCrd(): CustomResourceDefinition {
  const { group: of, version, kind, plural } = COSCHEDULING_POD_GROUPS;
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return {
    metadata: { name: `${plural}.${of}`, annotations: { 'api-approved.kubernetes.io': 'unapproved, for tests' } },
    spec: {
      group: of,
      scope: 'Namespaced',
      names: { kind, plural, singular: 'podgroup' },
      versions: [{ name: version, served: true, storage: true, schema: { openAPIV3Schema: open } }],
    },
  };
}

async function lack(name: string) {
  return (await fixture.job(name)).status?.conditions?.find(({ type }) => type === 'ReplicaFailure');
}

const naming = (gangScheduler: string) => ({
  metadata: { annotations: { [ANNOTATIONS.gangScheduler]: gangScheduler } },
});

const minAvailable = (count: number) => ({ schedulingPolicy: { minAvailable: count } });

describe("under Kubernetes' own gang scheduling", { timeout: LIMIT_MS }, () => {
  gangCases({ fixture: () => fixture, unschedulable: /^Unschedulable: /, least });

  it('reports a change of minAvailable, which applies when all pods are recreated', async () => {
    await fixture.create({ name: 'changed', workers: 3, runPolicy: minAvailable(2) });
    await fixture.until(async () => (await fixture.job('changed')).status?.ready === '4/4', 'changed');
    const before = await group('changed');
    expect(before?.spec).toMatchObject({ schedulingPolicy: { gang: { minCount: 2 } } });

    await fixture.change('changed', { spec: { runPolicy: minAvailable(3) } });
    await fixture.until(async () => {
      const message = (await fixture.job('changed')).status?.conditions?.find(
        ({ type }) => type === 'Running',
      )?.message;
      expect(message).toMatch(
        /^The change of the spec is not applied to PodGroup changed, .* 2 pods instead of 3, until/,
      );
      return true;
    }, 'changed');
    expect((await group('changed'))?.metadata?.uid).toBe(before?.metadata?.uid);

    await fixture.change('changed', { spec: { runPolicy: { suspend: true } } });
    await fixture.until(async () => (await group('changed')) === undefined, 'changed');
    await fixture.change('changed', { spec: { runPolicy: { suspend: false } } });
    await fixture.until(async () => {
      expect(await least('changed')).toBe(3);
      expect((await fixture.job('changed')).status?.ready).toBe('4/4');
      return true;
    }, 'changed');
    await fixture.remove('changed');
  });

  it('reports once which fields of a group the API server drops', async () => {
    await fixture.create({
      name: 'wishes',
      workers: 1,
      annotations: { [ANNOTATIONS.gangTopology]: 'example.com/rack' },
      runPolicy: { schedulingPolicy: { priorityClass: 'high', queue: 'research' } },
    });
    await fixture.until(async () => (await fixture.job('wishes')).status?.ready === '2/2', 'wishes');
    const events = (await fixture.events('wishes')).filter((event) => event.startsWith('SchedulingPolicyNotMet'));
    expect(events.sort()).toEqual([
      expect.stringMatching(/PodGroup wishes has no (priorityClassName and )?schedulingConstraints, although/),
      expect.stringContaining('The gang scheduler kubernetes ignores queue, '),
    ]);
    await fixture.remove('wishes');
  });

  it('gives the group the priority of its pods', async () => {
    await fixture.create({ name: 'priority', workers: 1, priorityClassName: 'high' });
    await fixture.until(async () => (await fixture.job('priority')).status?.ready === '2/2', 'priority');
    await fixture.remove('priority');
  });

  it('does not block a recreated pod, after others have succeeded, by a group that cannot be complete', async () => {
    await fixture.create({ name: 'late', workers: 2 });
    await fixture.until(async () => (await fixture.job('late')).status?.ready === '3/3', 'late');
    await fixture.end('late', 'succeed', 'worker-0');
    await fixture.until(
      async () => (await fixture.job('late')).status?.replicaStatuses?.['Worker']?.succeeded === 1,
      'late',
    );
    const before = await client.get(PODS, { namespace: 'default', name: 'late-worker-1' });
    await fixture.end('late', 'fail', 'worker-1');
    await fixture.until(async () => {
      const { metadata, status } = await client.get(PODS, { namespace: 'default', name: 'late-worker-1' });
      return metadata?.uid !== before.metadata?.uid && status?.phase === 'Running';
    }, 'late');
    // The group is deleted at the job's end.
    expect(await least('late')).toBe(3);
    await fixture.end('late');
    await fixture.until(async () => (await fixture.job('late')).status?.state === 'Succeeded', 'late');
    await fixture.until(async () => (await group('late')) === undefined, 'late');
    await fixture.remove('late');
  });
});

describe('a job that names its gang scheduler', { timeout: LIMIT_MS }, () => {
  it('waits and reports that while the cluster does not serve its groups, and runs as soon as it does; other jobs continue', async () => {
    await fixture.create({ name: 'early', workers: 1, gangScheduler: 'coscheduler' });
    await fixture.create({ name: 'by-scheduler', workers: 1, schedulerName: 'volcano' });
    await fixture.create({ name: 'without', workers: 1, gangScheduler: 'none' });
    await fixture.until(
      async () => {
        expect(await lack('early')).toMatchObject({ status: 'True', reason: 'GangSchedulerNotFound' });
        expect((await lack('early'))?.message).toMatch(/^The cluster does not serve podgroups.scheduling.x-k8s.io, /);
        expect((await lack('by-scheduler'))?.message).toMatch(
          /^The cluster does not serve podgroups.scheduling.volcano.sh/,
        );
        expect((await fixture.job('without')).status?.ready).toBe('2/2');
        return true;
      },
      'early',
      'by-scheduler',
      'without',
    );
    expect([await fixture.pods('early'), await fixture.pods('by-scheduler')]).toEqual([[], []]);
    expect(await group('without')).toBeUndefined();

    await installCrd(client, podGroupCrd());
    // Its scheduler is not running, so the pods do not change.
    await fixture.until(async () => {
      expect(await fixture.pods('early')).toHaveLength(2);
      expect(await lack('early')).toBeUndefined();
      return true;
    }, 'early');
    const { spec } = await client.get(COSCHEDULING_POD_GROUPS, { namespace: 'default', name: 'early' });
    expect(spec).toMatchObject({ minMember: 2 });
    const [pod] = await fixture.pods('early');
    expect(pod?.spec?.schedulerName).toBe('coscheduler');
    for (const name of ['early', 'by-scheduler', 'without']) await fixture.remove(name);
  });

  it('waits while the operator does not support it, and runs with another one', async () => {
    await fixture.create({ name: 'unknown', workers: 1, gangScheduler: 'absent' });
    await fixture.until(async () => {
      expect((await lack('unknown'))?.message).toMatch(
        /unknown gang scheduler absent\. This operator supports: kubernetes, volcano, coscheduler\./,
      );
      return true;
    }, 'unknown');
    await fixture.change('unknown', naming('kubernetes'));
    await fixture.until(async () => (await fixture.job('unknown')).status?.ready === '2/2', 'unknown');
    expect(await least('unknown')).toBe(2);

    // With pods it keeps its gang scheduler; without, it follows the change.
    await fixture.change('unknown', naming('coscheduler'));
    await fixture.change('unknown', { spec: { runPolicy: minAvailable(1) } });
    await fixture.until(async () => {
      const { observedGeneration } = (await fixture.job('unknown')).status ?? {};
      return observedGeneration === (await fixture.job('unknown')).metadata?.generation;
    }, 'unknown');
    expect(await least('unknown')).toBe(2);
    await fixture.change('unknown', { spec: { runPolicy: { suspend: true } } });
    await fixture.until(async () => (await fixture.pods('unknown')).length === 0, 'unknown');
    await fixture.change('unknown', { spec: { runPolicy: { suspend: false } } });
    await fixture.until(async () => {
      const pods = await fixture.pods('unknown');
      return pods.length === 2 && pods.every(({ spec }) => spec?.schedulerName === 'coscheduler');
    }, 'unknown');
    expect(await group('unknown')).toBeUndefined();
    await fixture.remove('unknown');
  });
});
