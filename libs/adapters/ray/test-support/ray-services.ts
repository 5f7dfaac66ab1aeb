/** RayServices in any state, and their plans. */
import { newWorld, planJob, type OwnedResource, type World } from '@muster/common-job-controller';
import {
  RAY_CLUSTERS,
  SERVICES,
  type KubeObject,
  type Pod,
  type RayCluster,
  type RayClusterSpec,
  type RayCondition,
  type RayService,
  type RayServiceSpec,
  type RayServiceStatus,
  type Resource,
  type Service,
} from '@muster/job-api';
import { GATEWAYS, HTTP_ROUTES } from '../src/serve/gateway-objects.ts';
import { rayServiceAdapter } from '../src/service/ray-service-adapter.ts';

const SETTINGS = { serviceMode: 'PerJob', clusterDomain: 'cluster.local', gang: undefined } as const;

const CREATED_MS = Date.parse('2026-01-01T00:00:00Z');

function after(seconds: number): string {
  return new Date(CREATED_MS + seconds * 1000).toISOString().replace('.000Z', 'Z');
}

export const CONFIG = `applications:
  - name: fruit
    import_path: fruit.app
`;
export const CHANGED_CONFIG = CONFIG.replace('fruit.app', 'fruit.other');

export function clusterConfig(image = 'ray:2.60.0', rest: Partial<RayClusterSpec> = {}): RayClusterSpec {
  const template = (name: string) => ({ spec: { containers: [{ name, image }] } });
  return {
    rayVersion: '2.60.0',
    headGroupSpec: { template: template('ray-head') },
    workerGroupSpecs: [
      { groupName: 'small', replicas: 1, minReplicas: 1, maxReplicas: 5, template: template('ray-worker') },
    ],
    ...rest,
  };
}

function serviceSpec(spec: Partial<RayServiceSpec> = {}): RayServiceSpec {
  return { serveConfigV2: CONFIG, rayClusterConfig: clusterConfig(), ...spec };
}

export function rayService(spec: Partial<RayServiceSpec> = {}, metadata: RayService['metadata'] = {}): RayService {
  return {
    apiVersion: 'ray.io/v1',
    kind: 'RayService',
    metadata: {
      name: 'fruit',
      namespace: 'team',
      uid: 'u-1',
      generation: 1,
      resourceVersion: '1',
      creationTimestamp: after(0),
      finalizers: ['ray.io/rayservice-finalizer'],
      ...metadata,
    },
    spec: serviceSpec(spec),
  };
}

/** The answers of one cluster's Ray Serve. */
export interface ServeAnswers {
  /** Applications by name, with their status. */
  readonly applications?: Readonly<Record<string, string | object>>;
  /** The status of the GET, if it is no success. */
  readonly status?: number;
  readonly put?: { readonly status: number; readonly body?: unknown } | 'no answer';
  /** The status of the health check of the head's proxy. */
  readonly proxy?: number;
}

/**
 * A RayService over several reconcile runs: each run is planned, and its writes are applied to the objects here. Pods are
 * created by the test.
 */
export class ServiceLife {
  service: RayService;
  nowMs = CREATED_MS;
  clusters = new Map<string, RayCluster>();
  services = new Map<string, Service>();
  /** Gateway and HTTPRoute. */
  others = new Map<string, KubeObject>();
  pods: Pod[] = [];
  /** By cluster. */
  readonly serve = new Map<string, ServeAnswers>();
  /** Submissions, as `<cluster> <text of the config>`. */
  readonly puts: string[] = [];
  readonly events: string[] = [];
  statusWrites = 0;
  writes: string[] = [];
  /** Answers to calls, as in the memory of a process. */
  #answered = new Map<string, { status: number; body: unknown } | string>();
  #emitted = new Set<string>();
  #versions = 1;
  readonly adapter = rayServiceAdapter();

  constructor(spec: Partial<RayServiceSpec> = {}, metadata: RayService['metadata'] = {}) {
    this.service = rayService(spec, metadata);
  }

  get status(): RayServiceStatus {
    return this.service.status ?? {};
  }

  condition(type: string): RayCondition | undefined {
    return this.status.conditions?.find((each) => each.type === type);
  }

  /** `True NonZeroServeEndpoints` */
  shown(type: string): string | undefined {
    const found = this.condition(type);
    return found && `${found.status} ${found.reason}`;
  }

  get active(): string | undefined {
    return this.status.activeServiceStatus?.rayClusterName;
  }

  get pending(): string | undefined {
    return this.status.pendingServiceStatus?.rayClusterName;
  }

  change(spec: Partial<RayServiceSpec>): void {
    const { metadata } = this.service;
    this.service = {
      ...this.service,
      metadata: { ...metadata, generation: (metadata?.generation ?? 0) + 1 },
      spec: { ...this.service.spec, ...spec },
    };
  }

  /** A restarted operator remembers no answers and no events. */
  restartOperator(): void {
    this.#answered.clear();
    this.#emitted.clear();
  }

  wait(seconds: number): void {
    this.nowMs += seconds * 1000;
  }

  /** Plans and applies until nothing changes. Returns the verbs of the writes to objects. */
  run(limit = 12): string[] {
    const all: string[] = [];
    for (let runs = 0; runs < limit; runs++) {
      const writes = this.runOnce();
      all.push(...writes);
      if (writes.length === 0) return all;
    }
    throw new Error(`still writing after ${limit} runs: ${all.slice(-6).join(', ')}`);
  }

  runOnce(): string[] {
    const world = this.#world();
    const plan = planJob(this.adapter, world, SETTINGS);
    const done: string[] = [];
    if (plan.status !== undefined) {
      this.statusWrites++;
      const stored = plan.status.stored as RayServiceStatus;
      this.service = { ...this.service, status: JSON.parse(JSON.stringify(stored)) as RayServiceStatus };
      done.push('status');
    }
    for (const { reason, dedupKey } of plan.events) {
      this.events.push(reason);
      if (dedupKey !== undefined) this.#emitted.add(dedupKey);
    }
    for (const write of plan.writes) {
      const name = 'object' in write ? (write.object.metadata?.name ?? '') : '';
      if (write.op === 'create') this.#store(write.resource, write.object);
      else if (write.op === 'delete') this.#remove(write.resource, name);
      else if (write.op === 'patch') this.#patch(write.resource, name, write.patch);
      else if (write.op === 'annotate') this.#label(name, write.labels ?? {});
      else if (write.op === 'call') this.#call(write.probe.name, write.probe.body);
      else if (write.op === 'removeFinalizer')
        this.service = { ...this.service, metadata: { ...this.service.metadata, finalizers: [] } };
      done.push(write.op === 'call' ? `call ${write.probe.name}` : `${write.op} ${name}`.trim());
    }
    this.writes = done;
    return done;
  }

  /** Names of the polled requests. */
  polled(): string[] {
    const world = this.#world();
    return (this.adapter.probes?.polled(world.manifest, world) ?? []).map(({ name }) => name);
  }

  /** Creates the head, ready, and workers that are ready once they have a proxy. */
  startPods(cluster: string, { workers = 1, restarts = 0, uid = 'u' } = {}): void {
    this.stopPods(cluster);
    this.pods.push(this.#pod(cluster, 'head', `${cluster}-head-${uid}`, { restarts }));
    for (let index = 0; index < workers; index++) {
      this.pods.push(this.#pod(cluster, 'worker', `${cluster}-small-worker-${index}`, {}));
    }
    this.setHeadReady(cluster, true);
  }

  stopPods(cluster: string): void {
    this.pods = this.pods.filter(({ metadata }) => metadata?.labels?.['ray.io/cluster'] !== cluster);
    if (this.clusters.has(cluster)) this.setHeadReady(cluster, false);
  }

  setHeadReady(cluster: string, isReady: boolean, reason = 'ContainersNotReady', message = ''): void {
    const object = this.clusters.get(cluster);
    if (object === undefined) throw new Error(`there is no RayCluster ${cluster}`);
    const condition: RayCondition = {
      type: 'HeadPodReady',
      status: isReady ? 'True' : 'False',
      reason: isReady ? 'HeadPodRunningAndReady' : reason,
      message,
      lastTransitionTime: after(0),
    };
    const status = {
      ...object.status,
      head: { serviceName: `${cluster}-head-svc` },
      endpoints: { dashboard: '8265' },
      conditions: [condition],
    };
    this.clusters.set(cluster, { ...object, status });
  }

  /** All applications of the cluster run, and its proxies are healthy. */
  serveOn(cluster: string, answers: ServeAnswers = {}): void {
    this.serve.set(cluster, { applications: { fruit: 'RUNNING' }, put: { status: 200 }, proxy: 200, ...answers });
  }

  /** Lets the pending cluster start and serve. */
  bringUp(): string {
    this.run();
    const name = this.pending ?? '';
    this.startPods(name);
    this.serveOn(name);
    this.run();
    return name;
  }

  #pod(cluster: string, type: 'head' | 'worker', name: string, { restarts = 0 }): Pod {
    return {
      metadata: {
        name,
        namespace: 'team',
        uid: `uid of ${name}`,
        creationTimestamp: after(1),
        labels: {
          'ray.io/cluster': cluster,
          'ray.io/node-type': type,
          'ray.io/serve': String(type === 'worker'),
          'ray.io/originated-from-cr-name': 'fruit',
          'ray.io/originated-from-crd': 'RayService',
        },
      },
      spec: { containers: [] },
      status: {
        phase: 'Running',
        podIP: '10.0.0.1',
        conditions: [{ type: 'Ready', status: 'True' }],
        containerStatuses: [
          { name: `ray-${type}`, restartCount: restarts, ready: true, image: '', imageID: '', state: { running: {} } },
        ],
      },
    };
  }

  #world(): World<RayService> {
    const owned = (resource: Resource, object: KubeObject): OwnedResource => ({
      kind: { resource, endsWithRun: true, trim: (whole) => whole },
      object,
    });
    const world: World<RayService> = {
      ...newWorld(this.service, this.nowMs),
      pods: this.pods,
      emittedEvents: this.#emitted,
      ownedResources: [
        ...[...this.clusters.values()].map((object) => owned(RAY_CLUSTERS, object)),
        ...[...this.services.values()].map((object) => owned(SERVICES, object)),
        ...[...this.others.values()].map((object) => owned(object.kind === 'Gateway' ? GATEWAYS : HTTP_ROUTES, object)),
      ],
    };
    const polled = this.adapter.probes?.polled(this.service, world) ?? [];
    const results = new Map(polled.flatMap(({ name }) => this.#polledResult(name)));
    for (const [name, answer] of this.#answered) results.set(name, resultOf(answer));
    return { ...world, probeResults: results };
  }

  #polledResult(name: string): [string, ReturnType<typeof resultOf>][] {
    const cluster = [...this.clusters.keys()].find((each) => name.includes(each));
    const { applications, proxy, status = 200 } = this.serve.get(cluster ?? '') ?? {};
    if (name.startsWith('proxy')) return proxy === undefined ? [] : [[name, resultOf({ status: proxy, body: '' })]];
    if (applications === undefined) return [];
    const shown = Object.entries(applications).map(([app, state]): [string, object] => [
      app,
      typeof state === 'string' ? { status: state, message: '', deployments: {} } : state,
    ]);
    return [[name, resultOf({ status, body: { applications: Object.fromEntries(shown) } })]];
  }

  #call(name: string, body: unknown): void {
    const cluster = [...this.clusters.keys()].find((each) => name.includes(each)) ?? '';
    const { put = { status: 200 } } = this.serve.get(cluster) ?? {};
    this.puts.push(`${cluster} ${JSON.stringify(body)}`);
    this.#answered.set(name, put === 'no answer' ? 'it did not respond within 30 s' : { body: '', ...put });
  }

  #store(resource: Resource, object: KubeObject): void {
    const stored = JSON.parse(JSON.stringify(object)) as KubeObject;
    const name = stored.metadata?.name ?? '';
    const metadata = { ...stored.metadata, uid: `uid of ${name}`, resourceVersion: String(++this.#versions) };
    if (resource.kind === 'RayCluster') this.clusters.set(name, { ...stored, metadata } as RayCluster);
    else if (resource.kind === 'Service') this.services.set(name, { ...stored, metadata } as Service);
    else this.others.set(name, { ...stored, metadata: { ...metadata, generation: 1 } });
  }

  #remove(resource: Resource, name: string): void {
    if (resource.kind === 'Service') this.services.delete(name);
    else if (resource.kind !== 'RayCluster') this.others.delete(name);
    else {
      this.stopPods(name);
      this.clusters.delete(name);
    }
  }

  #patch(resource: Resource, name: string, patch: object): void {
    const objects: Map<string, KubeObject> = this.#objectsOf(resource);
    const object = objects.get(name);
    if (object === undefined) throw new Error(`${resource.kind} ${name} does not exist`);
    const next = merged(object, patch) as KubeObject;
    const { generation } = next.metadata ?? {};
    const isOther = generation !== undefined && 'spec' in patch;
    objects.set(name, isOther ? { ...next, metadata: { ...next.metadata, generation: generation + 1 } } : next);
  }

  #objectsOf({ kind }: Resource): Map<string, KubeObject> {
    if (kind === 'RayCluster') return this.clusters;
    return kind === 'Service' ? this.services : this.others;
  }

  /** As the controller of the Gateway. */
  acceptRoute(): void {
    for (const [name, object] of this.others) {
      const accepted = (types: readonly string[]) =>
        types.map((type) => ({ type, status: 'True', observedGeneration: object.metadata?.generation ?? 0 }));
      const status =
        object.kind === 'Gateway'
          ? { conditions: accepted(['Accepted', 'Programmed']) }
          : {
              parents: [{ parentRef: { name: 'fruit-gateway' }, conditions: accepted(['Accepted', 'ResolvedRefs']) }],
            };
      this.others.set(name, { ...object, status } as KubeObject);
    }
  }

  #label(name: string, labels: Readonly<Record<string, string>>): void {
    this.pods = this.pods.map((pod) =>
      pod.metadata?.name === name
        ? { ...pod, metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, ...labels } } }
        : pod,
    );
  }
}

function resultOf(answer: { status: number; body: unknown } | string) {
  return typeof answer === 'string'
    ? { problem: answer, failures: 1, triedMs: 0, askedForMs: 0 }
    : { answer, failures: 0, ageMs: 0, triedMs: 0, askedForMs: 0 };
}

/** JSON merge patch. */
function merged(value: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const result = Object.fromEntries(Object.entries(Object(value) as object)) as Record<string, unknown>;
  for (const [key, each] of Object.entries(patch)) {
    if (each === null) delete result[key];
    else result[key] = merged(result[key], each);
  }
  return result;
}
