/** RayServices on a real API server. The test is the kubelet, and answers for Ray Serve over HTTP. */
import { isDeepStrictEqual } from 'node:util';
import { createJobOperator } from '@muster/common-job-controller';
import {
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
import { createKubeClient, loadCluster, type ClusterClient } from '@muster/kube';
import { eventually, installCrd, loneOperatorOptions, started, testCluster, TravelClock } from '@muster/testing';
import { Registry } from 'prom-client';
import { afterAll, beforeAll } from 'vitest';
import { rayClusterAdapter } from '../src/cluster/ray-cluster-adapter.ts';
import { GATEWAYS, HTTP_ROUTES } from '../src/serve/gateway-objects.ts';
import { rayServiceAdapter } from '../src/service/ray-service-adapter.ts';
import { CONFIG } from './ray-services.ts';
import { StubServe, type ServeOn } from './stub-serve.ts';

export const WITHIN_MS = 120_000;
export const NAME = 'fruit';
export const RUNS = { fruit: 'RUNNING' };

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** Call it at the top of a spec file. */
export async function serviceFixtures() {
  const cluster = await testCluster();
  const { client } = cluster;
  const operators = createKubeClient(await loadCluster({ kubeconfig: cluster.operatorKubeconfig('ray') }), {
    userAgent: 'muster-test/0',
  });
  beforeAll(async () => {
    for (const definition of [rayClusterDefinition, rayServiceDefinition])
      await installCrd(client, crdFor<never>(definition as never));
  });
  afterAll(() => operators.close());
  return {
    client,
    /** With the rights of the chart. */
    access: await loadCluster({ kubeconfig: cluster.operatorKubeconfig('ray') }),
    async start(): Promise<ServiceFixture> {
      const fixture = new ServiceFixture(await cluster.namespace(), client, operators);
      await fixture.serve.start();
      await fixture.startOperator();
      return fixture;
    },
  };
}

export function clusterConfig(image = 'ray:2.60.0'): RayServiceSpec['rayClusterConfig'] {
  // No scheduler takes the pods.
  const template = (name: string) => ({ spec: { schedulerName: 'absent', containers: [{ name, image }] } });
  return {
    rayVersion: '2.60.0',
    headGroupSpec: { template: template('ray-head') },
    workerGroupSpecs: [{ groupName: 'small', replicas: 1, minReplicas: 0, maxReplicas: 3, template: template('ray') }],
  };
}

export const upgradeStrategy = incrementally(100);

export function incrementally(maxSurgePercent: number): NonNullable<RayServiceSpec['upgradeStrategy']> {
  return {
    type: 'NewClusterWithIncrementalUpgrade',
    clusterUpgradeOptions: { gatewayClassName: 'test', maxSurgePercent, stepSizePercent: 50, intervalSeconds: 10 },
  };
}

/** The autoscaler owns the number of workers; there is none here, so the minimum counts. */
export const scaled = (image?: string) => {
  const config = clusterConfig(image);
  const workerGroupSpecs = (config.workerGroupSpecs ?? []).map((group) => ({ ...group, minReplicas: 1 }));
  return { ...config, workerGroupSpecs, enableInTreeAutoscaling: true };
};

/** A namespace with its own operator, clock and Ray Serve. */
export class ServiceFixture implements AsyncDisposable {
  readonly clock = new TravelClock();
  readonly serve = new StubServe();
  readonly namespace: string;
  readonly client: ClusterClient;
  readonly #operators: ClusterClient;
  #operator: Awaited<ReturnType<typeof started>> | undefined;

  constructor(namespace: string, client: ClusterClient, operators: ClusterClient) {
    this.namespace = namespace;
    this.client = client;
    this.#operators = operators;
  }

  /** @param client default: with the rights of the chart */
  async startOperator(client = this.#operators): Promise<void> {
    const where = { client, namespaces: [this.namespace], resource: RAY_SERVICES as never } as const;
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
    await this.client.create(RAY_SERVICES, {
      apiVersion: 'ray.io/v1',
      kind: 'RayService',
      metadata: { name: NAME, namespace: this.namespace },
      spec: { serveConfigV2: CONFIG, rayClusterConfig: clusterConfig(), ...spec },
    });
  }

  /** Waits for these values of the metric, by its labels. */
  async gaugeToBe(metric: string, expected: Readonly<Record<string, number>>): Promise<void> {
    const values = async () => {
      const text = (await this.#operator?.registry.metrics()) ?? '';
      const lines = text.split('\n').filter((line) => line.startsWith(`${metric}{`));
      return Object.fromEntries(
        lines.map((line) => [line.slice(metric.length, line.lastIndexOf('}') + 1), Number(line.split(' ').at(-1))]),
      );
    };
    await eventually(async () => isDeepStrictEqual(await values(), expected), {
      withinMs: WITHIN_MS,
      describe: async () => ({ metric, expected, seen: await values() }),
    });
  }

  /** Events about the RayService, as `<reason>: <note>`. */
  async events(): Promise<string[]> {
    const { items } = await this.client.list(EVENTS, { namespace: this.namespace });
    const own = items.filter(({ regarding }) => regarding?.kind === RAY_SERVICES.kind);
    return own.map(({ reason, note }) => `${reason}: ${note}`);
  }

  active(name: string): Promise<RayService> {
    return this.toBe(
      ({ status }) =>
        status?.activeServiceStatus?.rayClusterName === name &&
        status.pendingServiceStatus?.rayClusterName === undefined,
    );
  }

  async change(spec: object): Promise<void> {
    await this.client.patch(RAY_SERVICES, { namespace: this.namespace, name: NAME }, { spec });
  }

  service(): Promise<RayService> {
    return this.client.get(RAY_SERVICES, { namespace: this.namespace, name: NAME });
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
    return (await this.client.list(RAY_CLUSTERS, { namespace: this.namespace })).items;
  }

  async services(): Promise<Service[]> {
    const labelSelector = 'ray.io/originated-from-crd=RayService';
    const { items } = await this.client.list(SERVICES, { namespace: this.namespace, labelSelector });
    return items.toSorted((a, b) => (a.metadata?.name ?? '').localeCompare(b.metadata?.name ?? ''));
  }

  async pods(name: string): Promise<Pod[]> {
    return (await this.client.list(PODS, { namespace: this.namespace, labelSelector: `ray.io/cluster=${name}` })).items;
  }

  /** Waits for the pending cluster and its head, and makes all its pods ready, as a kubelet. */
  async pendingPods(serve: ServeOn, other?: string): Promise<string> {
    const { status } = await this.toBe((service) => {
      const pending = service.status?.pendingServiceStatus?.rayClusterName;
      return pending !== undefined && pending !== other;
    });
    const name = status?.pendingServiceStatus?.rayClusterName ?? '';
    this.serve.clusters.set(name, serve);
    await this.startPods(name);
    return name;
  }

  /** Waits for the head and the worker of the cluster, and makes them ready. */
  async startPods(name: string): Promise<void> {
    let pods: Pod[] = [];
    await eventually(async () => (pods = await this.pods(name)).length >= 2, {
      withinMs: WITHIN_MS,
      describe: () => pods.map(({ metadata }) => metadata?.name),
    });
    for (const pod of pods) await this.makeReady(pod);
  }

  /** Its pods of this type are gone, and with the head its applications. */
  async losePods(name: string, nodeType: 'head' | 'worker'): Promise<void> {
    const { namespace } = this;
    for (const { metadata } of await this.pods(name)) {
      if (metadata?.labels?.['ray.io/node-type'] !== nodeType) continue;
      await this.client.delete(PODS, { namespace, name: metadata.name ?? '' });
    }
    if (nodeType === 'worker') return;
    const conditions = async () => (await this.client.get(RAY_CLUSTERS, { namespace, name })).status?.conditions;
    const isLost = async () =>
      (await conditions())?.some(({ type, status }) => type === 'HeadPodReady' && status === 'False');
    await eventually(isLost, { withinMs: WITHIN_MS, describe: conditions });
    this.serve.clusters.set(name, { ...this.serve.clusters.get(name), applications: {} });
  }

  async makeReady({ metadata, spec }: Pod): Promise<void> {
    const state = { running: { startedAt: new Date().toISOString() } };
    const containerStatuses = (spec?.containers ?? []).map(({ name }) => ({
      ...{ name, state, ready: true, restartCount: 0, image: '', imageID: '' },
    }));
    const conditions = [{ type: 'Ready', status: 'True' }];
    const status = { phase: 'Running', podIP: '10.9.8.7', podIPs: [{ ip: '10.9.8.7' }], conditions, containerStatuses };
    await this.client.patchStatus(PODS, { namespace: this.namespace, name: metadata?.name ?? '' }, { status });
  }

  /** A service that serves, and its cluster. */
  async ready(spec: Partial<RayServiceSpec> = {}): Promise<string> {
    await this.create(spec);
    const name = await this.pendingPods({ deploys: RUNS, proxy: 200 });
    await this.toShow('Ready', 'True', 'NonZeroServeEndpoints');
    await this.toBe(({ status }) => status?.numServeEndpoints === 2);
    return name;
  }

  /** As the controller of the Gateway. Returns the weights of the route. */
  async accept(): Promise<string> {
    const { client, namespace } = this;
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
}
