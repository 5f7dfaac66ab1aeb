/** RayServices on a real API server. The test is the kubelet, and answers for Ray Serve over HTTP. */
import { createJobOperator } from '@muster/common-job-controller';
import {
  ANNOTATIONS,
  crdFor,
  EVENTS,
  PODS,
  RAY_CLUSTERS,
  RAY_SERVICES,
  rayClusterDefinition,
  rayServiceDefinition,
  SERVICES,
  type Pod,
  type RayCluster,
  type RayService,
  type RayServiceSpec,
  type Service,
} from '@muster/job-api';
import { createKubeClient, loadCluster } from '@muster/kube';
import { eventually, installCrd, loneOperatorOptions, started, testCluster, TravelClock } from '@muster/testing';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installGatewayApi } from '../../test-support/gateway-crds.ts';
import { CHANGED_CONFIG, CONFIG } from '../../test-support/ray-services.ts';
import { StubServe, type ServeOn } from '../../test-support/stub-serve.ts';
import { rayClusterAdapter } from '../cluster/ray-cluster-adapter.ts';
import { GATEWAYS, HTTP_ROUTES } from '../serve/gateway-objects.ts';
import { rayServiceAdapter } from './ray-service-adapter.ts';

const WITHIN_MS = 120_000;
const NAME = 'fruit';
const RUNS = { fruit: 'RUNNING' };

const cluster = await testCluster();
const { client } = cluster;
/** With the rights of the chart. */
const operators = createKubeClient(await loadCluster({ kubeconfig: cluster.operatorKubeconfig('ray') }), {
  userAgent: 'muster-test/0',
});
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

beforeAll(async () => {
  for (const definition of [rayClusterDefinition, rayServiceDefinition])
    await installCrd(client, crdFor<never>(definition as never));
});

afterAll(() => operators.close());

function clusterConfig(image = 'ray:2.60.0'): RayServiceSpec['rayClusterConfig'] {
  // No scheduler takes the pods.
  const template = (name: string) => ({ spec: { schedulerName: 'absent', containers: [{ name, image }] } });
  return {
    rayVersion: '2.60.0',
    headGroupSpec: { template: template('ray-head') },
    workerGroupSpecs: [{ groupName: 'small', replicas: 1, minReplicas: 0, maxReplicas: 3, template: template('ray') }],
  };
}

/** A namespace with its own operator, clock and Ray Serve. */
class Fixture implements AsyncDisposable {
  readonly clock = new TravelClock();
  readonly serve = new StubServe();
  readonly namespace: string;
  #operator: Awaited<ReturnType<typeof started>> | undefined;

  private constructor(namespace: string) {
    this.namespace = namespace;
  }

  static async start(): Promise<Fixture> {
    const fixture = new Fixture(await cluster.namespace());
    await fixture.serve.start();
    await fixture.startOperator();
    return fixture;
  }

  async startOperator(): Promise<void> {
    const where = { client: operators, namespaces: [this.namespace], resource: RAY_SERVICES as never } as const;
    const options = loneOperatorOptions({ ...where, serviceMode: 'PerJob', logger: silent, clock: this.clock });
    const registry = new Registry();
    const adapters = [rayClusterAdapter(), rayServiceAdapter()] as const;
    this.#operator = await started(
      createJobOperator({ ...options, adapters: [...adapters], registry, sendProbe: this.serve.send }),
      registry,
    );
  }

  async stopOperator(): Promise<void> {
    await this.#operator?.stop();
    this.#operator = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stopOperator();
    await this.serve[Symbol.asyncDispose]();
  }

  async create(spec: Partial<RayServiceSpec> = {}): Promise<void> {
    await client.create(RAY_SERVICES, {
      apiVersion: 'ray.io/v1',
      kind: 'RayService',
      metadata: { name: NAME, namespace: this.namespace },
      spec: { serveConfigV2: CONFIG, rayClusterConfig: clusterConfig(), ...spec },
    });
  }

  async change(spec: object): Promise<void> {
    await client.patch(RAY_SERVICES, { namespace: this.namespace, name: NAME }, { spec });
  }

  service(): Promise<RayService> {
    return client.get(RAY_SERVICES, { namespace: this.namespace, name: NAME });
  }

  async toBe(holds: (service: RayService) => boolean): Promise<RayService> {
    let seen: RayService | undefined;
    return eventually(async () => holds((seen = await this.service())) && seen, {
      withinMs: WITHIN_MS,
      describe: () => ({ status: seen?.status, calls: this.serve.calls.slice(-5) }),
    });
  }

  toShow(type: string, status: string, reason: string): Promise<RayService> {
    return this.toBe(
      (service) =>
        service.status?.conditions?.some(
          (each) => each.type === type && each.status === status && each.reason === reason,
        ) ?? false,
    );
  }

  async clusters(): Promise<RayCluster[]> {
    return (await client.list(RAY_CLUSTERS, { namespace: this.namespace })).items;
  }

  async services(): Promise<Service[]> {
    const labelSelector = 'ray.io/originated-from-crd=RayService';
    const { items } = await client.list(SERVICES, { namespace: this.namespace, labelSelector });
    return items.toSorted((a, b) => (a.metadata?.name ?? '').localeCompare(b.metadata?.name ?? ''));
  }

  async pods(name: string): Promise<Pod[]> {
    return (await client.list(PODS, { namespace: this.namespace, labelSelector: `ray.io/cluster=${name}` })).items;
  }

  /** Waits for the pending cluster and its head, and makes all its pods ready, as a kubelet. */
  async pendingPods(serve: ServeOn, other?: string): Promise<string> {
    const { status } = await this.toBe((service) => {
      const pending = service.status?.pendingServiceStatus?.rayClusterName;
      return pending !== undefined && pending !== other;
    });
    const name = status?.pendingServiceStatus?.rayClusterName ?? '';
    this.serve.clusters.set(name, serve);
    let pods: Pod[] = [];
    await eventually(async () => (pods = await this.pods(name)).length >= 2, {
      withinMs: WITHIN_MS,
      describe: () => pods.map(({ metadata }) => metadata?.name),
    });
    for (const pod of pods) await this.makeReady(pod);
    return name;
  }

  async makeReady({ metadata, spec }: Pod): Promise<void> {
    const state = { running: { startedAt: new Date().toISOString() } };
    const containerStatuses = (spec?.containers ?? []).map(({ name }) => ({
      ...{ name, state, ready: true, restartCount: 0, image: '', imageID: '' },
    }));
    const conditions = [{ type: 'Ready', status: 'True' }];
    const status = { phase: 'Running', podIP: '10.9.8.7', podIPs: [{ ip: '10.9.8.7' }], conditions, containerStatuses };
    await client.patchStatus(PODS, { namespace: this.namespace, name: metadata?.name ?? '' }, { status });
  }

  /** A service that serves, and its cluster. */
  async ready(spec: Partial<RayServiceSpec> = {}): Promise<string> {
    await this.create(spec);
    const name = await this.pendingPods({ deploys: RUNS, proxy: 200 });
    await this.toShow('Ready', 'True', 'NonZeroServeEndpoints');
    await this.toBe(({ status }) => status?.numServeEndpoints === 2);
    return name;
  }
}

describe('a RayService', () => {
  it('gets a cluster, submits its config to it, and serves through its Services', async () => {
    await using fixture = await Fixture.start();
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
    await using fixture = await Fixture.start();
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
    await using fixture = await Fixture.start();
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
    await using fixture = await Fixture.start();
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
    await using fixture = await Fixture.start();
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
    await using fixture = await Fixture.start();
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
    await using fixture = await Fixture.start();
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
    await using fixture = await Fixture.start();
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
  const upgradeStrategy = {
    type: 'NewClusterWithIncrementalUpgrade',
    clusterUpgradeOptions: { gatewayClassName: 'test', maxSurgePercent: 100, stepSizePercent: 50, intervalSeconds: 10 },
  } as const;
  /** The autoscaler owns the number of workers; there is none here, so the minimum counts. */
  const scaled = (image?: string) => {
    const config = clusterConfig(image);
    const workerGroupSpecs = (config.workerGroupSpecs ?? []).map((group) => ({ ...group, minReplicas: 1 }));
    return { ...config, workerGroupSpecs, enableInTreeAutoscaling: true };
  };

  // The tests above ran without the Gateway API.
  beforeAll(() => installGatewayApi(client));

  /** As the controller of the Gateway. Returns the weights of the route. */
  async function accept(namespace: string): Promise<string> {
    const conditions = (generation: number, ...types: string[]) =>
      types.map((type) => ({
        ...{ type, status: 'True', reason: type, message: '', observedGeneration: generation },
        lastTransitionTime: new Date(0).toISOString(),
      }));
    let weights = '';
    for (const [resource, name] of [
      [GATEWAYS, `${NAME}-gateway`],
      [HTTP_ROUTES, `${NAME}-httproute`],
    ] as const) {
      const object = await client.get(resource, { namespace, name }).catch(() => undefined);
      if (object === undefined) continue;
      const { generation = 0 } = object.metadata ?? {};
      const status =
        resource === GATEWAYS
          ? { conditions: conditions(generation, 'Accepted', 'Programmed') }
          : {
              parents: [
                {
                  parentRef: { name: `${NAME}-gateway` },
                  controllerName: 'muster.dev/test',
                  conditions: conditions(generation, 'Accepted', 'ResolvedRefs'),
                },
              ],
            };
      await client.patchStatus(resource, { namespace, name }, { status });
      const { rules = [] } = Object(Reflect.get(object, 'spec')) as {
        rules?: { backendRefs: { weight: number }[] }[];
      };
      if (rules.length > 0) weights = (rules[0]?.backendRefs ?? []).map(({ weight }) => weight).join('/');
    }
    return weights;
  }

  it('moves capacity and requests to the new cluster in steps, and leaves the Gateway when the strategy changes', async () => {
    await using fixture = await Fixture.start();
    const { namespace } = fixture;
    const name = await fixture.ready({ upgradeStrategy, rayClusterConfig: scaled() });
    expect(fixture.serve.puts[0]).toContain('"target_capacity":100');
    await eventually(async () => (await accept(namespace)) === '100', { withinMs: WITHIN_MS });
    await fixture.change({ rayClusterConfig: scaled('ray:2.61.0') });
    const next = await fixture.pendingPods({ deploys: RUNS, proxy: 200 });
    const seen = new Set<string>();
    await eventually(
      async () => {
        seen.add(await accept(namespace));
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
