/** Losses in an upgrade of a RayService, and objects of its names with another owner, on a real API server. */
import { type KubeObject, type RayService } from '@muster/job-api';
import { createKubeClient } from '@muster/kube';
import { eventually, faultProxy } from '@muster/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { installGatewayApi } from '../../test-support/gateway-crds.ts';
import {
  clusterConfig,
  incrementally,
  NAME,
  RUNS,
  scaled,
  serviceFixtures,
  upgradeStrategy,
  WITHIN_MS,
  type ServiceFixture,
} from '../../test-support/service-fixture.ts';
import { GATEWAYS, HTTP_ROUTES } from '../serve/gateway-objects.ts';

const LIMIT_MS = 300_000;

const fixtures = await serviceFixtures();
const { client } = fixtures;

beforeAll(() => installGatewayApi(client));

const SERVES = { deploys: RUNS, proxy: 200 };
const DEPLOYS = { deploys: { fruit: 'DEPLOYING' }, proxy: 200 };

const putsTo = (fixture: ServiceFixture, cluster: string) =>
  fixture.serve.puts.filter((put) => put.startsWith(`${cluster} `)).length;

const activeOf = ({ status }: RayService) => status?.activeServiceStatus?.rayClusterName;
const pendingOf = ({ status }: RayService) => status?.pendingServiceStatus?.rayClusterName;

const shareOf = ({ status }: RayService, side: 'activeServiceStatus' | 'pendingServiceStatus') =>
  status?.[side]?.trafficRoutedPercent;

/** Lets the steps of an upgrade follow one another, as the controller of the Gateway, until the condition holds. */
async function stepUntil(fixture: ServiceFixture, holds: (service: RayService) => boolean): Promise<string[]> {
  const weights: string[] = [];
  await eventually(
    async () => {
      const seen = await fixture.accept();
      if (seen !== '' && seen !== weights.at(-1)) weights.push(seen);
      if (holds(await fixture.service())) return true;
      fixture.clock.advance(11_000);
      return false;
    },
    { withinMs: WITHIN_MS, describe: async () => ({ weights, status: (await fixture.service()).status }) },
  );
  return weights;
}

async function upgradeBySteps(fixture: ServiceFixture, strategy = upgradeStrategy) {
  const old = await fixture.ready({ upgradeStrategy: strategy, rayClusterConfig: scaled() });
  await eventually(async () => (await fixture.accept()) === '100', { withinMs: WITHIN_MS });
  await fixture.change({ rayClusterConfig: scaled('ray:2.61.0') });
  return { old, next: await fixture.pendingPods(SERVES) };
}

describe('an upgrade in which the new cluster loses its head', { timeout: LIMIT_MS }, () => {
  it('submits the config to the new head, and leaves all requests with the old cluster until its applications run', async () => {
    await using fixture = await fixtures.start();
    const old = await fixture.ready();
    await fixture.change({ rayClusterConfig: clusterConfig('ray:2.61.0') });
    const next = await fixture.pendingPods(DEPLOYS);
    await eventually(() => putsTo(fixture, next) === 1, { withinMs: WITHIN_MS });
    await fixture.losePods(next, 'head');
    fixture.serve.clusters.set(next, SERVES);
    await fixture.toBe(
      ({ status }) =>
        status?.conditions?.find(({ type }) => type === 'UpgradeInProgress')?.message.includes('the head') === true,
    );
    expect((await fixture.services()).map(({ spec }) => spec?.selector?.['ray.io/cluster'])).toEqual([old, old]);
    await fixture.startPods(next);
    await fixture.active(next);
    expect(putsTo(fixture, next)).toBe(2);
    expect(putsTo(fixture, old)).toBe(1);
  });

  it('by steps: gives all requests back to the old cluster when no pod of the new one is ready, and continues later', async () => {
    await using fixture = await fixtures.start();
    const { next } = await upgradeBySteps(fixture);
    await stepUntil(fixture, (service) => shareOf(service, 'pendingServiceStatus') === 50);
    for (const nodeType of ['head', 'worker'] as const) await fixture.losePods(next, nodeType);
    await stepUntil(fixture, (service) => shareOf(service, 'activeServiceStatus') === 100);
    await eventually(async () => (await fixture.accept()) === '100/0', { withinMs: WITHIN_MS });
    await fixture.startPods(next);
    const weights = await stepUntil(
      fixture,
      (service) => activeOf(service) === next && pendingOf(service) === undefined,
    );
    expect(weights).toEqual(expect.arrayContaining(['50/50', '0/100']));
  });

  it('by steps: moves no further requests while only the head of the new cluster is lost', async () => {
    await using fixture = await fixtures.start();
    const { next } = await upgradeBySteps(fixture);
    await stepUntil(fixture, (service) => shareOf(service, 'pendingServiceStatus') === 50);
    await fixture.losePods(next, 'head');
    const waits = ({ status }: RayService) =>
      status?.conditions?.find(({ type }) => type === 'UpgradeInProgress')?.message.includes('the head') === true;
    // Time passes only when the operator knows: before, the next step would be right.
    await fixture.toBe(waits);
    fixture.clock.advance(60_000);
    expect(shareOf(await fixture.toBe(waits), 'pendingServiceStatus')).toBe(50);
    await fixture.startPods(next);
    await stepUntil(fixture, (service) => activeOf(service) === next);
  });
});

interface Lost {
  readonly method: string;
  readonly path: RegExp;
}

describe('an upgrade whose operator is lost before a write', { timeout: LIMIT_MS }, () => {
  /** From when `isOn` holds, the writes fail until the operator is stopped. Another operator continues. */
  async function loseOperatorAt(fixture: ServiceFixture, lost: Lost, upgrade: () => Promise<void>, isOn = () => true) {
    await fixture.stopOperator();
    await using proxy = await faultProxy(fixtures.access);
    const failing = createKubeClient(proxy.access, { userAgent: 'muster-test/0' });
    let failures = 0;
    proxy.inject(
      ({ method, path }) => {
        const isLost = method === lost.method && lost.path.test(path) && isOn();
        if (isLost) failures++;
        return isLost;
      },
      { type: 'refuse' },
    );
    await fixture.startOperator(failing);
    await upgrade();
    await eventually(() => failures > 0, {
      withinMs: WITHIN_MS,
      describe: async () => ({ lost: String(lost.path), status: (await fixture.service()).status }),
    });
    await fixture.stopOperator();
    await failing.close();
    await fixture.startOperator();
  }

  async function toNewCluster(fixture: ServiceFixture): Promise<string> {
    await fixture.change({ rayClusterConfig: clusterConfig('ray:2.61.0') });
    const { status } = await fixture.toBe((service) => pendingOf(service) !== undefined);
    const next = status?.pendingServiceStatus?.rayClusterName ?? '';
    fixture.serve.clusters.set(next, SERVES);
    return next;
  }

  it.each([
    ['creates the new cluster', { method: 'POST', path: /\/rayclusters$/ }, false],
    ['selects the new cluster in a Service', { method: 'PATCH', path: /\/services\/fruit-serve-svc$/ }, true],
    ['sets the time of deletion of the old cluster', { method: 'PATCH', path: /\/rayclusters\/fruit-\w{5}$/ }, true],
  ])('that %s: another operator completes it with the same cluster', async (_what, lost, hasPods) => {
    await using fixture = await fixtures.start();
    const old = await fixture.ready();
    let next = '';
    await loseOperatorAt(fixture, lost, async () => {
      next = await toNewCluster(fixture);
      if (hasPods) await fixture.startPods(next);
    });
    await fixture.startPods(next);
    await fixture.active(next);
    await eventually(
      async () => (await fixture.services()).every(({ spec }) => spec?.selector?.['ray.io/cluster'] === next),
      { withinMs: WITHIN_MS, describe: () => fixture.services() },
    );
    expect(putsTo(fixture, next)).toBe(1);
    const names = async () => (await fixture.clusters()).map(({ metadata }) => metadata?.name ?? '').toSorted();
    expect(await names()).toEqual([old, next].toSorted());
    await eventually(
      async () => {
        fixture.clock.advance(61_000);
        return (await names()).join() === next;
      },
      { withinMs: WITHIN_MS, describe: () => fixture.clusters() },
    );
  });

  it('that records a submission: another operator submits the config once more, and completes it', async () => {
    await using fixture = await fixtures.start();
    await fixture.ready();
    let next = '';
    const status = { method: 'PATCH', path: /\/rayservices\/fruit\/status$/ };
    await loseOperatorAt(
      fixture,
      status,
      async () => {
        next = await toNewCluster(fixture);
        await fixture.startPods(next);
      },
      () => next !== '' && putsTo(fixture, next) > 0,
    );
    await fixture.active(next);
    expect(putsTo(fixture, next)).toBe(2);
  });

  it('that moves requests: the route follows the shares in the status before the next step', async () => {
    await using fixture = await fixtures.start();
    const { next } = await upgradeBySteps(fixture);
    await eventually(async () => (await fixture.accept()) === '100/0', { withinMs: WITHIN_MS });
    const route = { method: 'PATCH', path: /\/httproutes\/fruit-httproute$/ };
    await loseOperatorAt(
      fixture,
      route,
      async () => void (await stepUntil(fixture, (service) => shareOf(service, 'pendingServiceStatus') === 50)),
    );
    const weights = await stepUntil(fixture, (service) => activeOf(service) === next);
    expect(weights.filter((each) => each !== '100/0').slice(0, 2)).toEqual(['50/50', '0/100']);
  });
});

describe('an object of the name that a RayService needs, with another owner', { timeout: LIMIT_MS }, () => {
  const others: readonly (readonly [typeof GATEWAYS, string, object])[] = [
    [
      GATEWAYS,
      `${NAME}-gateway`,
      { gatewayClassName: 'others', listeners: [{ name: 'http', protocol: 'HTTP', port: 81 }] },
    ],
    [HTTP_ROUTES, `${NAME}-httproute`, { parentRefs: [{ name: 'others' }] }],
  ];

  it.each(others.map(([resource, name, spec]) => [resource.kind, { resource, name, spec }] as const))(
    '%s: is not changed, is named in a condition and an event, and is replaced when it is deleted',
    async (kind, { resource, name, spec }) => {
      await using fixture = await fixtures.start();
      const key = { namespace: fixture.namespace, name };
      const { metadata: before } = await client.create(resource, { metadata: key, spec } as KubeObject);
      await fixture.create({ upgradeStrategy, rayClusterConfig: scaled() });
      await fixture.pendingPods(SERVES);
      const { status } = await fixture.toShow('ReplicaFailure', 'True', 'NameTaken');
      const message = status?.conditions?.find(({ type }) => type === 'ReplicaFailure')?.message;
      expect(message).toContain(`${kind} ${name}`);
      await eventually(async () => (await fixture.events()).some((event) => event.startsWith('NameTaken: ')), {
        withinMs: WITHIN_MS,
        describe: () => fixture.events(),
      });
      fixture.clock.advance(600_000);
      await fixture.toShow('ReplicaFailure', 'True', 'NameTaken');
      expect((await client.get(resource, key)).metadata?.resourceVersion).toBe(before?.resourceVersion);
      await client.delete(resource, key);
      await eventually(
        async () => {
          fixture.clock.advance(60_000);
          return (await client.get(resource, key)).metadata?.ownerReferences?.[0]?.name === NAME;
        },
        { withinMs: WITHIN_MS, describe: async () => (await fixture.service()).status },
      );
      await fixture.toBe(
        ({ status: seen }) => seen?.conditions?.every(({ type }) => type !== 'ReplicaFailure') === true,
      );
    },
  );
});

describe('the events and metrics of a RayService', { timeout: LIMIT_MS }, () => {
  it('name each capacity step of an incremental upgrade once, beside the submission of the config', async () => {
    await using fixture = await fixtures.start();
    const { old, next } = await upgradeBySteps(fixture, incrementally(50));
    await stepUntil(fixture, (service) => activeOf(service) === next);
    await fixture.stopOperator();
    const events = (await fixture.events()).filter((event) => event.startsWith('Updated'));
    const config = (cluster: string) =>
      `UpdatedServeApplications: spec.serveConfigV2 was submitted to RayCluster ${cluster} (submission 1)`;
    const capacity = (cluster: string, percent: number) =>
      `UpdatedServeTargetCapacity: RayCluster ${cluster} runs ${percent} % of its replicas (submission 2)`;
    // The old cluster may be dropped before it has reached 0 %.
    expect(events.filter((event) => !event.includes(' 0 % ')).toSorted()).toEqual(
      [config(old), config(next), capacity(old, 50), capacity(next, 100)].toSorted(),
    );
  });

  it('show its endpoints, its conditions and the start of an upgrade, and end with it', async () => {
    await using fixture = await fixtures.start();
    const old = await fixture.ready();
    const { uid } = (await fixture.service()).metadata ?? {};
    const own = `{job_namespace="${fixture.namespace}",rayservice="${NAME}"}`;
    const of = (condition: string) =>
      `{name="${NAME}",namespace="${fixture.namespace}",uid="${uid}",condition="${condition}"}`;
    await fixture.gaugeToBe('muster_rayservice_endpoints', { [own]: 2 });
    await fixture.gaugeToBe('kuberay_service_condition_ready', { [of('true')]: 1 });
    await fixture.gaugeToBe('kuberay_service_condition_upgrade_in_progress', { [of('false')]: 1 });
    await fixture.gaugeToBe('muster_rayservice_upgrade_start_timestamp_seconds', {});

    await fixture.change({ rayClusterConfig: clusterConfig('ray:2.61.0') });
    const next = await fixture.pendingPods(DEPLOYS);
    const { status } = await fixture.toShow('UpgradeInProgress', 'True', 'BothActivePendingClustersExist');
    const since = status?.conditions?.find(({ type }) => type === 'UpgradeInProgress')?.lastTransitionTime ?? '';
    await fixture.gaugeToBe('muster_rayservice_upgrade_start_timestamp_seconds', {
      [own]: Date.parse(since) / 1000,
    });
    await fixture.gaugeToBe('kuberay_service_condition_upgrade_in_progress', { [of('true')]: 1 });

    for (const nodeType of ['head', 'worker'] as const) await fixture.losePods(old, nodeType);
    await fixture.toShow('Ready', 'False', 'ZeroServeEndpoints');
    await fixture.gaugeToBe('muster_rayservice_endpoints', { [own]: 0 });
    await fixture.gaugeToBe('kuberay_service_condition_ready', { [of('false')]: 1 });

    fixture.serve.clusters.set(next, { ...SERVES, applications: RUNS });
    await fixture.active(next);
    await fixture.change({ suspend: true });
    await fixture.toShow('Suspended', 'True', 'SuspendComplete');
    await fixture.gaugeToBe('muster_rayservice_endpoints', {});
  });
});
