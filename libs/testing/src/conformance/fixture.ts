/** The environment of one case: cases run concurrently, with exact counts. */
import { randomUUID } from 'node:crypto';
import {
  EVENTS,
  LABELS,
  PODS,
  SERVICES,
  type Event,
  type KubeObject,
  type Pod,
  type Resource,
  type ServiceMode,
} from '@muster/job-api';
import { createKubeClient, loadCluster, type ClusterAccess, type ClusterClient, type Logger } from '@muster/kube';
import { JOBS } from '@muster/metrics';
import { expect } from 'vitest';
import { eventually } from '../eventually.ts';
import { faultProxy, type FaultProxy } from '@muster/fault-injection';
import type { TestCluster } from '../test-cluster.ts';
import type { ConformanceFramework, ConformanceJob, ConformanceOperator } from './conformance-framework.ts';
import { frameworkOf } from './framework-of.ts';
import { PodPlaces } from './pod-places.ts';
import { running } from './pod-report.ts';
import { FixtureMetrics } from './fixture-metrics.ts';
import { TestJob, type JobFixture, type TestJobShape } from './test-job.ts';
import { TravelClock } from './travel-clock.ts';

type Counts = Partial<Record<'created' | 'successful' | 'failed' | 'restarted' | 'deleted', number>>;

export interface LogLine {
  readonly level: keyof Logger;
  readonly message: string;
  readonly fields: object | undefined;
}

export interface FixtureSetting {
  readonly framework: ConformanceFramework;
  readonly cluster: TestCluster;
}

/** For a slow machine, and for a garbage collector that has not discovered a new kind yet. */
const LIMIT_MS = 120_000;

/** Blocks the deletion of an object until a test removes it. */
export const FINALIZER = 'conformance.muster.dev/held';

export class Fixture implements JobFixture {
  readonly framework: ConformanceFramework;
  readonly cluster: TestCluster;
  readonly namespace: string;
  readonly clock = new TravelClock();
  readonly log: LogLine[] = [];
  readonly metrics = new FixtureMetrics((condition, describe) => this.until(condition, describe));
  resource: Resource<ConformanceJob>;
  serviceMode: ServiceMode = 'PerJob';
  /** Maximum writes of one run. Default: the operator's. */
  writesPerRun: number | undefined;
  readonly patchedStatuses = new Set<string>();
  /** Set by cases with injected errors. */
  expectsErrors = false;
  #operators: ConformanceOperator[] = [];
  #client: ClusterClient | undefined;
  #ends: (() => Promise<unknown>)[] = [];
  #jobs = 0;
  #places = new PodPlaces();
  #counted: Counts = {};
  /** Answers of the pods' programs, by pod name. */
  readonly #progress = new Map<string, object>();

  constructor({ framework, cluster }: FixtureSetting, namespace: string) {
    this.framework = framework;
    this.cluster = cluster;
    this.namespace = namespace;
    this.resource = framework.resource;
  }

  get client(): ClusterClient {
    return this.cluster.client;
  }

  get labelSelector(): string {
    const { operatorName, labelSelector = `${LABELS.operatorName}=${operatorName}` } = this.framework;
    return labelSelector;
  }

  /** Called after the case, in reverse order. */
  atEnd(end: () => Promise<unknown>): void {
    this.#ends.push(end);
  }

  /** @param client default: with the rights of the framework's chart */
  async startOperator(client?: ClusterClient, namespaces = [this.namespace]): Promise<ConformanceOperator> {
    const operator = await this.framework.startOperator({
      client: client ?? (await this.#operatorClient()),
      namespaces,
      resource: this.resource,
      serviceMode: this.serviceMode,
      ...(this.writesPerRun !== undefined && { writesPerRun: this.writesPerRun }),
      clock: this.clock,
      logger: this.#logger(),
      sendProbe: ({ url }) => this.#answer(url),
    });
    this.#operators.push(operator);
    this.metrics.add(operator.registry);
    return operator;
  }

  /** For injecting faults into the operator's requests. @param prepare called before the operator starts */
  async startOperatorBehindProxy(prepare: (proxy: FaultProxy) => void = () => undefined): Promise<FaultProxy> {
    const proxy = await faultProxy(await this.#operatorAccess());
    prepare(proxy);
    this.atEnd(() => proxy.close());
    const client = createKubeClient(proxy.access, { userAgent: 'muster-test/0' });
    this.atEnd(() => client.close());
    await this.startOperator(client);
    return proxy;
  }

  async #operatorClient(): Promise<ClusterClient> {
    this.#client ??= createKubeClient(await this.#operatorAccess(), { userAgent: 'muster-test/0' });
    return this.#client;
  }

  async #operatorAccess(): Promise<ClusterAccess> {
    const own = frameworkOf(this.framework.resource);
    if (own === undefined) return this.cluster.access;
    return loadCluster({ kubeconfig: this.cluster.operatorKubeconfig(own) });
  }

  async stopOperators(): Promise<void> {
    await Promise.all(this.#operators.splice(0).map((operator) => operator.stop()));
  }

  async restartOperator(): Promise<void> {
    await this.stopOperators();
    await this.startOperator();
  }

  async close(): Promise<void> {
    await this.stopOperators();
    await this.#client?.close();
    for (const end of this.#ends.reverse()) await end();
  }

  plan(shape: TestJobShape = {}): TestJob {
    return new TestJob(this, { name: `job-${this.#jobs++}`, ...shape });
  }

  async job(shape: TestJobShape = {}): Promise<TestJob> {
    const job = this.plan(shape);
    await job.create();
    return job;
  }

  /** Resolves when a job that is created now runs: the operators have handled all earlier events then. */
  async settled(): Promise<void> {
    const marker = await this.job({ workers: 1 });
    await marker.run();
  }

  async report(pod: string, status: NonNullable<Pod['status']>, namespace = this.namespace): Promise<Pod> {
    return this.client.patchStatus(PODS, { namespace, name: await this.podName(pod, namespace) }, { status });
  }

  /** From now on the program of a running pod reports this progress. */
  async reportProgress(pod: string, at: number, progress: object): Promise<void> {
    this.#progress.set(await this.podName(pod), progress);
    const podIP = `10.0.0.${at}`;
    await this.report(pod, { ...running(this.framework.containerName), podIP, podIPs: [{ ip: podIP }] });
  }

  #answer(url: unknown): Promise<{ status: number; body: unknown }> {
    const { pod = '' } = url as { readonly pod?: string };
    const body = this.#progress.get(pod);
    if (body === undefined) return Promise.reject(new Error(`${pod} does not answer`));
    return Promise.resolve({ status: 200, body });
  }

  /** The suite's names for the pods of a namespace, in their order. */
  knownNames(pods: readonly Pod[]): string[] {
    const { hasUniqueNames = false, knownAs = nameOf } = this.framework;
    if (!hasUniqueNames) return pods.map(knownAs);
    const names = this.#places.namesOf(pods);
    return pods.map((pod) => names.get(pod.metadata?.uid ?? '') ?? nameOf(pod));
  }

  /** The name of the newest pod that the suite calls `pod`. */
  async podName(pod: string, namespace = this.namespace): Promise<string> {
    if (this.framework.knownAs === undefined && this.framework.hasUniqueNames !== true) return pod;
    const pods = await this.list(PODS, namespace);
    const names = this.knownNames(pods);
    const known = pods.filter((_pod, at) => names[at] === pod);
    const byAge = known.sort((a, b) => (createdAt(a) < createdAt(b) ? 1 : -1));
    const newest = byAge.find(({ metadata }) => metadata?.deletionTimestamp === undefined) ?? byAge[0];
    return newest?.metadata?.name ?? pod;
  }

  async reportRunning(pods: readonly string[], namespace = this.namespace): Promise<void> {
    await Promise.all(pods.map((pod) => this.report(pod, running(this.framework.containerName), namespace)));
  }

  /**
   * Resolves when the garbage collector has observed all current pods and Services: it has deleted some that were
   * created after them and whose owner does not exist. It deletes unobserved objects of an owner that is deleted with
   * `Orphan`, instead of orphaning them.
   */
  async collectorToHaveSeenPods(): Promise<void> {
    const uid = randomUUID();
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'absent', uid }];
    const metadata = { name: `seen-${uid.slice(0, 8)}`, namespace: this.namespace, ownerReferences };
    const spec = { schedulerName: 'absent', containers: [{ name: 'c', image: 'registry.example/x:1' }] };
    await this.client.create(PODS, { metadata, spec });
    await this.client.create(SERVICES, { metadata, spec: { clusterIP: 'None', ports: [{ port: 80 }] } });
    await this.until(async () => {
      const left = [...(await this.list(PODS)), ...(await this.list(SERVICES))];
      return !left.some((each) => each.metadata?.name === metadata.name);
    }, 'the garbage collector has observed all pods and Services');
  }

  async removeFinalizer(resource: Resource, name: string): Promise<void> {
    const { namespace } = this;
    const key = { namespace, name: resource.kind === PODS.kind ? await this.podName(name) : name };
    await this.client.patch(resource, key, { metadata: { finalizers: null } });
  }

  async eventsAbout(name: string): Promise<Event[]> {
    const { items } = await this.client.list(EVENTS, { namespace: this.namespace });
    return items.filter(({ regarding }) => regarding?.name === name && regarding.kind === this.resource.kind);
  }

  /** Waits for these sums over all operators. Ends and restarts are checked again when the operators have stopped. */
  async countersToBe(expected: Counts): Promise<void> {
    Object.assign(this.#counted, expected);
    let seen: object = {};
    await this.until(
      async () => {
        seen = await this.#counts(expected);
        expect(seen).toEqual(expected);
        return true;
      },
      () => ({ expected, counted: seen }),
    );
  }

  /** Called after the operators have stopped. `created` is excluded, because `settled` creates jobs. */
  async countersToHaveStayed(): Promise<void> {
    const { created: _created, ...expected } = this.#counted;
    expect(await this.#counts(expected)).toEqual(expected);
  }

  async #counts(of: Counts): Promise<Record<string, number>> {
    const sums = (Object.keys(of) as (keyof Counts)[]).map(async (name) => {
      const others = name === 'created' ? await this.#ownedJobsMade() : 0;
      return [name, (await this.metrics.total(JOBS[name])) - others] as const;
    });
    return Object.fromEntries(await Promise.all(sums));
  }

  async #ownedJobsMade(): Promise<number> {
    const { ownedJobs } = this.framework;
    if (ownedJobs === undefined) return 0;
    const made = (await this.list(EVENTS)).filter(
      ({ reason }) => reason === `SuccessfulCreate${ownedJobs.resource.kind}`,
    );
    return made.reduce((sum, { series }) => sum + (series?.count ?? 1), 0);
  }

  errors(): LogLine[] {
    return this.log.filter(({ level }) => level === 'error');
  }

  async list<T extends KubeObject>(resource: Resource<T>, namespace = this.namespace): Promise<T[]> {
    return (await this.client.list(resource, { namespace })).items;
  }

  until<V>(condition: () => V | Promise<V>, describe: string | (() => unknown)) {
    return eventually(condition, { withinMs: LIMIT_MS, describe });
  }

  #logger(): Logger {
    const at = (level: keyof Logger) => (message: string, fields?: object) => {
      this.log.push({ level, message, fields });
    };
    return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  }
}

function nameOf({ metadata }: Pod): string {
  return metadata?.name ?? '';
}

function createdAt({ metadata }: Pod): string {
  return metadata?.creationTimestamp ?? '';
}
