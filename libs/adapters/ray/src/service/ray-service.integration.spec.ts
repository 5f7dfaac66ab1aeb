/** RayServices on a real API server. The test is the kubelet, and answers for Ray Serve over HTTP. */
import { ANNOTATIONS, EVENTS, RAY_CLUSTERS, RAY_SERVICES, type Pod, type RayService } from '@muster/job-api';
import { eventually } from '@muster/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { installGatewayApi } from '../../test-support/gateway-crds.ts';
import { CHANGED_CONFIG } from '../../test-support/ray-services.ts';
import {
  clusterConfig,
  NAME,
  RUNS,
  scaled,
  serviceFixtures,
  upgradeStrategy,
  WITHIN_MS,
} from '../../test-support/service-fixture.ts';
import type { ServeOn } from '../../test-support/stub-serve.ts';
import { GATEWAYS } from '../serve/gateway-objects.ts';

const fixtures = await serviceFixtures();
const { client } = fixtures;

describe('a RayService', () => {
  it('gets a cluster, submits its config to it, and serves through its Services', async () => {
    await using fixture = await fixtures.start();
    const name = await fixture.ready();
    expect(name).toMatch(/^fruit-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    const { metadata, status } = await fixture.service();
    expect(metadata?.finalizers).toEqual(['ray.io/rayservice-finalizer']);
    expect(status).toMatchObject({
      serviceStatus: 'Running',
      observedGeneration: metadata?.generation,
      activeServiceStatus: { rayClusterName: name, applicationStatuses: { fruit: { status: 'RUNNING' } } },
    });
    expect(fixture.serve.puts).toEqual([
      `${name} PUT /api/serve/applications/ {"applications":[{"name":"fruit","import_path":"fruit.app"}]}`,
    ]);
    const [head, serve] = await fixture.services();
    const ofService = { 'ray.io/originated-from-cr-name': NAME, 'ray.io/originated-from-crd': 'RayService' };
    expect(head).toMatchObject({
      metadata: {
        name: 'fruit-head-svc',
        labels: { ...ofService, 'ray.io/node-type': 'head', 'ray.io/identifier': 'fruit-head' },
      },
      spec: { clusterIP: 'None', selector: { 'ray.io/cluster': name, 'ray.io/node-type': 'head' } },
    });
    expect(serve).toMatchObject({
      metadata: { name: 'fruit-serve-svc', labels: { ...ofService, 'ray.io/serve': 'fruit-serve' } },
      spec: {
        type: 'ClusterIP',
        selector: { 'ray.io/cluster': name, 'ray.io/serve': 'true' },
        ports: [{ name: 'serve', port: 8000, targetPort: 8000 }],
      },
    });
    const labels = (await fixture.pods(name)).map(({ metadata: each }) => each?.labels?.['ray.io/serve']);
    expect(labels).toEqual(['true', 'true']);
  });

  it('writes nothing and emits nothing while nothing changes', async () => {
    await using fixture = await fixtures.start();
    await fixture.ready();
    const state = async () => {
      const [service, clusters, services, { items }] = await Promise.all([
        fixture.service(),
        fixture.clusters(),
        fixture.services(),
        client.list(EVENTS, { namespace: fixture.namespace }),
      ]);
      const versions = [service, ...clusters, ...services].map(({ metadata }) => metadata?.resourceVersion);
      return { versions, events: items.length };
    };
    const before = await state();
    const calls = fixture.serve.calls.length;
    for (let polls = 0; polls < 10; polls++) {
      fixture.clock.advance(6000);
      const seen = fixture.serve.calls.length;
      await eventually(() => fixture.serve.calls.length > seen, { withinMs: WITHIN_MS });
    }
    expect(fixture.serve.calls.length).toBeGreaterThan(calls);
    expect(await state()).toEqual(before);
    expect(fixture.serve.puts).toHaveLength(1);
  });

  it('submits a changed config to the running cluster, and nothing after a restart of the operator', async () => {
    await using fixture = await fixtures.start();
    const name = await fixture.ready();
    await fixture.change({ serveConfigV2: CHANGED_CONFIG });
    await fixture.toBe(({ status }) => status?.activeServiceStatus?.submitted?.serveConfigV2 === CHANGED_CONFIG);
    expect(fixture.serve.puts).toHaveLength(2);
    await fixture.stopOperator();
    const calls = fixture.serve.calls.length;
    await fixture.startOperator();
    await eventually(() => fixture.serve.calls.length > calls + 1, { withinMs: WITHIN_MS });
    expect(fixture.serve.puts).toHaveLength(2);
    expect((await fixture.clusters()).map(({ metadata }) => metadata?.name)).toEqual([name]);
  });

  it('replaces its cluster when the image changes, keeps the address of its Service, and deletes the old one later', async () => {
    await using fixture = await fixtures.start();
    const name = await fixture.ready();
    const [, before] = await fixture.services();
    await fixture.change({ rayClusterConfig: clusterConfig('ray:2.61.0') });
    const next = await fixture.pendingPods({ deploys: RUNS, proxy: 200 });
    await fixture.toBe(({ status }) => status?.activeServiceStatus?.rayClusterName === next);
    await fixture.toShow('UpgradeInProgress', 'False', 'NoPendingCluster');
    expect(fixture.serve.puts.map((put) => put.split(' ')[0])).toEqual([name, next]);
    await eventually(
      async () => (await fixture.services()).every(({ spec }) => spec?.selector?.['ray.io/cluster'] === next),
      { withinMs: WITHIN_MS, describe: () => fixture.services() },
    );
    const [, serve] = await fixture.services();
    expect(serve?.spec?.clusterIP).toBe(before?.spec?.clusterIP);
    expect(serve?.metadata?.uid).toBe(before?.metadata?.uid);
    const old = async () => (await fixture.clusters()).find(({ metadata }) => metadata?.name === name);
    await eventually(async () => (await old())?.metadata?.annotations?.[ANNOTATIONS.deleteAfter] !== undefined, {
      withinMs: WITHIN_MS,
      describe: old,
    });
    await fixture.stopOperator();
    fixture.clock.advance(61_000);
    await fixture.startOperator();
    await eventually(async () => (await old()) === undefined, { withinMs: WITHIN_MS, describe: old });
    await fixture.toShow('Ready', 'True', 'NonZeroServeEndpoints');
  });

  it.each<[string, NonNullable<ServeOn['put']>, string]>([
    ['refuses the config', { status: 400, body: 'no module named fruit' }, 'no module named fruit'],
    ['is not installed', { status: 501 }, 'install ray[serve]'],
    ['is away', { status: 503, body: 'the GCS is away' }, 'the GCS is away'],
  ])('says why it is not ready when Ray Serve %s, and is ready when that is corrected', async (_what, put, message) => {
    await using fixture = await fixtures.start();
    await fixture.create();
    const name = await fixture.pendingPods({ put, proxy: 200 });
    const says = ({ status }: RayService) =>
      status?.conditions?.find(({ type }) => type === 'Ready')?.message.includes(message) ?? false;
    await fixture.toBe(says);
    fixture.serve.clusters.set(name, { deploys: RUNS, proxy: 200 });
    if (put.status !== 503) await fixture.change({ serveConfigV2: CHANGED_CONFIG });
    fixture.clock.advance(60_000);
    await fixture.toShow('Ready', 'True', 'NonZeroServeEndpoints');
  });

  it('is reconciled while a slow submission has no answer', async () => {
    await using fixture = await fixtures.start();
    await fixture.create();
    const name = await fixture.pendingPods({ put: { status: 200, delayMs: 3000 }, deploys: RUNS, proxy: 200 });
    await eventually(() => fixture.serve.puts.length === 1, { withinMs: WITHIN_MS });
    const isHead = ({ metadata }: Pod) => metadata?.labels?.['ray.io/node-type'] === 'head';
    await eventually(
      async () => (await fixture.pods(name)).find(isHead)?.metadata?.labels?.['ray.io/serve'] === 'true',
      { withinMs: WITHIN_MS, describe: () => fixture.pods(name) },
    );
    await fixture.toShow('Ready', 'True', 'NonZeroServeEndpoints');
    expect(fixture.serve.puts).toHaveLength(1);
  });

  it('has no clusters and Services while it is suspended, and a new cluster when it is resumed', async () => {
    await using fixture = await fixtures.start();
    const name = await fixture.ready();
    await fixture.change({ suspend: true });
    await fixture.toShow('Suspended', 'True', 'SuspendComplete');
    expect([await fixture.clusters(), await fixture.services()]).toEqual([[], []]);
    await fixture.change({ suspend: false });
    const next = await fixture.pendingPods({ deploys: RUNS, proxy: 200 }, name);
    expect(next).not.toBe(name);
    await fixture.toShow('Ready', 'True', 'NonZeroServeEndpoints');
    await fixture.toShow('Suspended', 'False', 'RayServiceResumed');
  });

  it('is deleted when its clusters are gone', async () => {
    await using fixture = await fixtures.start();
    const name = await fixture.ready();
    const key = { namespace: fixture.namespace, name };
    await client.patch(RAY_CLUSTERS, key, { metadata: { finalizers: ['muster.dev/test'] } });
    await client.delete(RAY_SERVICES, { namespace: fixture.namespace, name: NAME });
    await eventually(async () => (await client.get(RAY_CLUSTERS, key)).metadata?.deletionTimestamp !== undefined, {
      withinMs: WITHIN_MS,
      describe: () => fixture.clusters(),
    });
    expect((await fixture.service()).metadata?.finalizers).toEqual(['ray.io/rayservice-finalizer']);
    await client.patch(RAY_CLUSTERS, key, { metadata: { finalizers: null } });
    const isGone = async () => (await client.list(RAY_SERVICES, { namespace: fixture.namespace })).items.length === 0;
    await eventually(isGone, { withinMs: WITHIN_MS });
  });
});

describe('an incremental upgrade', () => {
  // The tests above ran without the Gateway API.
  beforeAll(() => installGatewayApi(client));

  it('moves capacity and requests to the new cluster in steps, and leaves the Gateway when the strategy changes', async () => {
    await using fixture = await fixtures.start();
    const { namespace } = fixture;
    const name = await fixture.ready({ upgradeStrategy, rayClusterConfig: scaled() });
    expect(fixture.serve.puts[0]).toContain('"target_capacity":100');
    await eventually(async () => (await fixture.accept()) === '100', { withinMs: WITHIN_MS });
    await fixture.change({ rayClusterConfig: scaled('ray:2.61.0') });
    const next = await fixture.pendingPods({ deploys: RUNS, proxy: 200 });
    const seen = new Set<string>();
    await eventually(
      async () => {
        seen.add(await fixture.accept());
        fixture.clock.advance(11_000);
        const { status } = await fixture.service();
        return (
          status?.activeServiceStatus?.rayClusterName === next &&
          status.pendingServiceStatus?.rayClusterName === undefined
        );
      },
      { withinMs: WITHIN_MS, describe: async () => ({ seen: [...seen], status: (await fixture.service()).status }) },
    );
    expect([...seen]).toEqual(expect.arrayContaining(['100/0', '50/50', '0/100']));
    expect((await fixture.services()).map(({ metadata }) => metadata?.name)).not.toContain('fruit-serve-svc');
    const capacities = fixture.serve.puts.map(
      (put) => `${put.split(' ')[0]} ${/"target_capacity":(\d+)/.exec(put)?.[1]}`,
    );
    // The old cluster may be dropped before it gets the configuration without capacity.
    expect(capacities).toEqual(expect.arrayContaining([`${name} 100`, `${next} 100`]));

    await fixture.change({ upgradeStrategy: { type: 'NewCluster', clusterUpgradeOptions: null } });
    await eventually(
      async () => {
        const gateways = await client.list(GATEWAYS, { namespace });
        const names = (await fixture.services()).map(({ metadata }) => metadata?.name);
        return gateways.items.length === 0 && names.includes('fruit-serve-svc');
      },
      { withinMs: WITHIN_MS, describe: () => fixture.services() },
    );
    await fixture.toShow('Ready', 'True', 'NonZeroServeEndpoints');
  });
});
