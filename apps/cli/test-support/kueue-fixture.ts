/**
 * A cluster with the real Kueue and the operators of all frameworks. Kueue's integrations or Muster queue the jobs. Builds Kueue if it
 * is missing, which takes minutes.
 */
import { clusterDown, clusterUp, terminalProgress, type Cluster, type ClusterUpOptions } from '@muster/cluster';
import { createJobOperator, isControlledBy, type JobManifest, type JobOperator } from '@muster/common-job-controller';
import { crdFor, FRAMEWORKS, PODS, RAY_CLUSTERS, RAY_JOBS } from '@muster/job-api';
import type { FrameworkName, JobStatus, KubeObject, Pod, Resource } from '@muster/job-api';
import { createKubeClient, isKubeError, loadCluster, type ClusterClient } from '@muster/kube';
import { startKueue, type Kueue } from '@muster/schedulers';
import { eventually, installCrd, loneOperatorOptions, TravelClock } from '@muster/testing';
import { Registry } from 'prom-client';
import { adaptersOf } from './framework-adapters.ts';
import { INTEGRATIONS, type QueuedKind } from './queued-kinds.ts';

export const NAMESPACE = 'default';
/** For tests of several jobs, and for building Kueue. */
export const LIMIT_MS = 1_500_000;
export const BUILD_LIMIT_MS = 3_600_000;

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const ofKueue = (kind: string, plural: string, namespaced = false): Resource => ({
  ...{ group: 'kueue.x-k8s.io', version: 'v1beta2', kind, plural, namespaced },
});

export interface Workload extends KubeObject {
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly message: string;
      readonly lastTransitionTime: string;
    }[];
    readonly admission?: {
      readonly podSetAssignments?: readonly {
        readonly name: string;
        readonly count?: number;
        readonly resourceUsage?: Readonly<Record<string, string>>;
      }[];
    };
    readonly reclaimablePods?: readonly { readonly name: string; readonly count: number }[];
  };
}
export const WORKLOADS: Resource<Workload> = ofKueue('Workload', 'workloads', true);

const QUEUE_RESOURCES: readonly Resource[] = [
  ofKueue('ResourceFlavor', 'resourceflavors'),
  ofKueue('ClusterQueue', 'clusterqueues'),
  ofKueue('LocalQueue', 'localqueues', true),
  ofKueue('WorkloadPriorityClass', 'workloadpriorityclasses'),
  ofKueue('Topology', 'topologies'),
];

export interface KueueFixtureOptions extends Pick<ClusterUpOptions, 'name' | 'node' | 'nodes'> {
  /** The default queue of jobs. */
  readonly queue: string;
  /** The limit of each wait. */
  readonly withinMs: number;
  /** Makes a pod succeed. */
  readonly endPod: (client: ClusterClient, pod: string) => Promise<unknown>;
}

/** Metadata of a job. */
export interface Marks {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export const key = (name: string) => ({ namespace: NAMESPACE, name });

export class KueueFixture {
  readonly cluster: Cluster;
  readonly client: ClusterClient;
  readonly #kueue: Kueue;
  readonly #options: KueueFixtureOptions;
  #operators: readonly JobOperator[] = [];
  #registries: readonly Registry[] = [];

  static async up(options: KueueFixtureOptions): Promise<KueueFixture> {
    const { queue: _queue, withinMs: _withinMs, endPod: _endPod, ...wanted } = options;
    const cluster = await clusterUp({ ...wanted, progress: terminalProgress() });
    const client = createKubeClient(await loadCluster({ kubeconfig: cluster.kubeconfig }), {
      userAgent: 'muster-test/0',
    });
    for (const crd of Object.values(FRAMEWORKS).flat()) await installCrd(client, crdFor(crd));
    return new KueueFixture(options, cluster, client, await startKueue(cluster, INTEGRATIONS));
  }

  private constructor(options: KueueFixtureOptions, cluster: Cluster, client: ClusterClient, kueue: Kueue) {
    this.cluster = cluster;
    this.client = client;
    this.#options = options;
    this.#kueue = kueue;
  }

  async down(): Promise<void> {
    await this.#kueue.stop();
    await this.client.close();
    await clusterDown({ name: this.cluster.name });
  }

  /** @param isOwn whether Muster creates the Workloads. Then Kueue has no integration for its kinds, and has these feature gates */
  async startOperators(isOwn: boolean, featureGates: readonly string[] = []): Promise<void> {
    if (isOwn) await this.#kueue.restart(['batch/job'], featureGates);
    const frameworks = (Object.keys(FRAMEWORKS) as FrameworkName[]).map(adaptersOf);
    const base = { client: this.client, namespaces: [NAMESPACE], serviceMode: 'PerJob', logger: silent } as const;
    this.#registries = frameworks.map(() => new Registry());
    this.#operators = frameworks.map((adapters, at) => {
      const registry = this.#registries[at]!;
      const options = loneOperatorOptions({ ...base, clock: new TravelClock() });
      const settings = { ...options.settings, kueue: isOwn };
      return createJobOperator({ ...options, settings, adapters, registry });
    });
    for (const operator of this.#operators) await operator.start();
    const problems = () => this.#operators.flatMap((operator) => operator.problems());
    await eventually(() => problems().length === 0, { withinMs: this.#options.withinMs, describe: problems });
  }

  async stopOperators(): Promise<void> {
    await Promise.all(this.#operators.map((operator) => operator.stop()));
    this.#operators = [];
  }

  /** Manifests of queues and their objects. */
  async createQueues(...manifests: readonly KubeObject[]): Promise<void> {
    for (const manifest of manifests) {
      const resource = QUEUE_RESOURCES.find(({ kind }) => kind === manifest.kind);
      if (resource === undefined) throw new Error(`${manifest.kind} is nothing of Kueue's`);
      const { namespaced } = resource;
      const metadata = { ...manifest.metadata, ...(namespaced && { namespace: NAMESPACE }) };
      await this.client.create(resource, { ...manifest, metadata });
    }
  }

  create(
    { resource }: QueuedKind,
    name: string,
    spec: object,
    { labels, annotations }: Marks = {},
  ): Promise<JobManifest> {
    const queued = { 'kueue.x-k8s.io/queue-name': this.#options.queue, ...labels };
    const metadata = { ...key(name), labels: queued, ...(annotations && { annotations }) };
    return this.client.create(resource, { metadata, spec });
  }

  async podsOf(name: string): Promise<Pod[]> {
    const { items } = await this.client.list(PODS, { namespace: NAMESPACE });
    return items.filter(
      ({ metadata }) => metadata?.name?.startsWith(`${name}-`) && metadata.deletionTimestamp === undefined,
    );
  }

  async until(kind: QueuedKind, names: readonly string[], check: () => Promise<boolean>): Promise<void> {
    const describe = async () => {
      const jobs = names.map(async (name) => ({
        status: (await this.client.get(kind.resource, key(name)).catch(() => undefined))?.status,
        pods: (await this.podsOf(name)).map(({ metadata, status }) => [
          metadata?.name,
          status?.phase,
          status?.conditions,
        ]),
      }));
      const { items } = await this.client.list(WORKLOADS, { namespace: NAMESPACE });
      const workloads = items.map(({ metadata, status }) => [metadata?.name, status]);
      return JSON.stringify({ jobs: await Promise.all(jobs), workloads, kueue: this.#kueue.log() });
    };
    await eventually(check, { withinMs: this.#options.withinMs, describe });
  }

  runs(name: string, pods = 2): () => Promise<boolean> {
    return async () => {
      const all = await this.podsOf(name);
      return all.length === pods && all.every(({ status }) => status?.phase === 'Running');
    };
  }

  /** The queued object: the job, or the RayCluster of a RayJob that Muster queues. */
  async queuedOf({ resource }: QueuedKind, name: string): Promise<JobManifest[]> {
    const job = await this.client.get(resource, key(name));
    if (resource !== RAY_JOBS) return [job];
    const { items } = await this.client.list(RAY_CLUSTERS, { namespace: NAMESPACE });
    return [job, ...(items as JobManifest[]).filter((each) => isControlledBy(job.metadata?.uid, each))];
  }

  async workloadsOf(kind: QueuedKind, name: string): Promise<Workload[]> {
    const uids = (await this.queuedOf(kind, name)).map(({ metadata }) => metadata?.uid);
    const { items } = await this.client.list(WORKLOADS, { namespace: NAMESPACE });
    return items.filter((each) => uids.some((uid) => isControlledBy(uid, each)));
  }

  async workloadUids(kind: QueuedKind, name: string): Promise<(string | undefined)[]> {
    return (await this.workloadsOf(kind, name)).map(({ metadata }) => metadata?.uid);
  }

  /** The condition of the queued object that shows why it has no pods. */
  async suspensionsOf(kind: QueuedKind, name: string): Promise<string> {
    return (await this.queuedOf(kind, name)).map(suspension).join('\n');
  }

  /** The number of waiting jobs of the kind by reason, from the metric. */
  async waiting({ kind }: Resource): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const registry of this.#registries) {
      const metric = await registry.getSingleMetric('muster_jobs_waiting')?.get();
      const ofKind = metric?.values.filter(({ labels }) => labels['kind'] === kind) ?? [];
      for (const { labels, value } of ofKind) counts[String(labels['reason'])] = value;
    }
    return counts;
  }

  /** Makes the job succeed, or deletes it if it never ends. */
  async end(kind: QueuedKind, name: string): Promise<void> {
    const { ends } = kind;
    if (ends === undefined) return this.remove(kind, name);
    for (const { metadata } of await this.podsOf(name)) {
      if (ends.test(metadata?.name ?? '')) await this.#options.endPod(this.client, metadata?.name ?? '');
    }
  }

  async remove({ resource }: QueuedKind, name: string): Promise<void> {
    await this.client.delete(resource, key(name), { propagationPolicy: 'Background' }).catch((error: unknown) => {
      if (!isKubeError(error, 'NotFound')) throw error;
    });
    // Kueue releases the quota of a deleted Workload only for kinds with an integration.
    let left: (string | undefined)[] = [];
    const isGone = async () => {
      const { items } = await this.client.list(WORKLOADS, { namespace: NAMESPACE });
      const owned = items.filter(({ metadata }) => metadata?.ownerReferences?.some((owner) => isOf(name, owner.name)));
      left = [...(await this.podsOf(name)), ...owned].map(({ metadata }) => metadata?.name);
      return left.length === 0;
    };
    const describe = () => ({ name, left, kueue: this.#kueue.log() });
    await eventually(isGone, { withinMs: this.#options.withinMs, describe });
  }

  /** Jobs of a failed test would use the quota of the next one. */
  async removeAll(kinds: readonly QueuedKind[]): Promise<void> {
    for (const kind of kinds) {
      const { items } = await this.client.list(kind.resource, { namespace: NAMESPACE });
      for (const { metadata } of items) await this.remove(kind, metadata?.name ?? '');
    }
  }
}

/** A RayCluster of a RayJob has a name that begins with the job's. */
function isOf(job: string, name: string): boolean {
  return name === job || name.startsWith(`${job}-`);
}

/** The status of a RayCluster has the engine's status in a field. */
function suspension({ status = {} }: JobManifest): string {
  const { muster, ...shown } = status as JobStatus & { readonly muster?: JobStatus };
  const { conditions = [] } = muster ?? shown;
  const found = conditions.find(({ type }) => type === 'Suspended');
  return `${found?.status} ${found?.reason}: ${found?.message}`;
}
