/** A job of a case: creates it, reports its pods' status and waits for results. */
import {
  LABELS,
  PODS,
  SERVICES,
  type Event,
  type JobCondition,
  type KubeObject,
  type Pod,
  type PodSpec,
  type PodTemplateSpec,
  type Resource,
  type RestartPolicy,
  type RunPolicy,
  type Service,
} from '@muster/job-api';
import { isKubeError, type ClusterClient } from '@muster/kube';
import type { ConformanceFramework, ConformanceJob } from './conformance-framework.ts';
import { withRecord } from './job-record.ts';
import { failed, running, succeeded } from './pod-report.ts';
import type { TravelClock } from './travel-clock.ts';

export interface TestJobShape {
  name?: string;
  namespace?: string;
  workers?: number;
  isResized?: boolean;
  restartPolicy?: RestartPolicy;
  runPolicy?: Partial<RunPolicy>;
  annotations?: Record<string, string>;
  labels?: Record<string, string>;
  finalizers?: string[];
  podSpec?: Partial<PodSpec>;
}

export interface JobFixture {
  readonly framework: ConformanceFramework;
  readonly client: ClusterClient;
  readonly namespace: string;
  readonly clock: TravelClock;
  readonly resource: Resource<ConformanceJob>;
  readonly patchedStatuses: Set<string>;
  report(pod: string, status: NonNullable<Pod['status']>, namespace?: string): Promise<Pod>;
  reportRunning(pods: readonly string[], namespace?: string): Promise<void>;
  podName(pod: string, namespace?: string): Promise<string>;
  knownNames(pods: readonly Pod[]): string[];
  eventsAbout(name: string): Promise<Event[]>;
  list<T extends KubeObject>(resource: Resource<T>, namespace?: string): Promise<T[]>;
  until<V>(
    condition: () => V | Promise<V>,
    describe: string | (() => unknown),
  ): Promise<Exclude<V, false | undefined | null>>;
}

type Propagation = 'Background' | 'Foreground' | 'Orphan';

export class TestJob {
  readonly name: string;
  readonly namespace: string;
  readonly shape: TestJobShape;
  readonly workers: number;
  readonly pods: readonly string[];
  readonly workerPods: readonly string[];
  /** Those that the operator creates itself. */
  readonly made: readonly string[];
  /** Those that do not wait for others. */
  readonly first: readonly string[];
  readonly deciding: readonly string[];
  readonly endless: readonly string[];
  /** Those that are kept after the job's end, with cleanPodPolicy unset. */
  readonly lasting: readonly string[];
  #fixture: JobFixture;

  constructor(fixture: JobFixture, shape: TestJobShape & { readonly name: string }) {
    const { name, namespace = fixture.namespace, workers = 2 } = shape;
    this.#fixture = fixture;
    this.shape = shape;
    this.name = name;
    this.namespace = namespace;
    this.workers = workers;
    this.pods = fixture.framework.podNames(name, workers);
    this.workerPods = this.pods.slice(-workers);
    this.deciding = fixture.framework.decidingPods(name, workers);
    this.endless = fixture.framework.endlessPods?.(name, workers) ?? [];
    const ofWorkloads = fixture.framework.podsOfWorkloads?.(name, workers) ?? [];
    this.made = this.pods.filter((pod) => !ofWorkloads.includes(pod));
    const last = fixture.framework.lastPods?.(name) ?? [];
    this.first = this.pods.filter((pod) => !last.includes(pod));
    this.lasting = this.pods.filter((pod) => !this.endless.includes(pod));
  }

  get isEndless(): boolean {
    return this.#fixture.framework.isEndless === true;
  }

  get ownsNoPods(): boolean {
    return this.#fixture.framework.ownsNoPods === true;
  }

  get #key() {
    return { namespace: this.namespace, name: this.name };
  }

  manifest(workers = this.workers, changed: Partial<TestJobShape> = {}): ConformanceJob {
    const { name, namespace } = this;
    const { framework } = this.#fixture;
    const shape = { ...this.shape, ...changed };
    const { restartPolicy = 'OnFailure', runPolicy = {}, annotations = {}, isResized = false } = shape;
    const template = podTemplate(framework.containerName, shape);
    return framework.manifest({ name, namespace, workers, restartPolicy, runPolicy, annotations, isResized, template });
  }

  async create(): Promise<ConformanceJob> {
    const { client, resource } = this.#fixture;
    const { apiVersion: _apiVersion, ...manifest } = this.manifest();
    return client.create(resource, manifest);
  }

  async change(workers: number, changed: Partial<TestJobShape> = {}): Promise<void> {
    const { spec, metadata } = this.manifest(workers, changed);
    const { annotations } = metadata ?? {};
    await this.patch({ spec, ...(annotations && { metadata: { annotations } }) });
  }

  async patch(patch: object): Promise<ConformanceJob> {
    return this.#fixture.client.patch(this.#fixture.resource, this.#key, patch);
  }

  /** Patches the engine's record, wherever it is. */
  async patchStatus(record: object, options: { dryRun?: boolean } = {}): Promise<ConformanceJob> {
    const { recordIn } = this.#fixture.framework;
    const status = recordIn === undefined ? record : { [recordIn]: record };
    const { client, resource, patchedStatuses } = this.#fixture;
    const patched = await client.patchStatus(resource, this.#key, { status }, options);
    patchedStatuses.add(patched.metadata?.resourceVersion ?? '');
    return patched;
  }

  async suspend(is: boolean): Promise<void> {
    await this.patch({ spec: this.#fixture.framework.suspension?.(is) ?? { runPolicy: { suspend: is } } });
  }

  async get(): Promise<ConformanceJob> {
    return withRecord(
      await this.#fixture.client.get(this.#fixture.resource, this.#key),
      this.#fixture.framework.recordIn,
    );
  }

  async status(): Promise<NonNullable<ConformanceJob['status']>> {
    return (await this.get()).status ?? {};
  }

  async delete(propagationPolicy: Propagation): Promise<void> {
    await this.#fixture.client.delete(this.#fixture.resource, this.#key, { propagationPolicy });
  }

  async toBeGone(meanwhile: () => Promise<unknown> = () => Promise.resolve()): Promise<void> {
    await this.#fixture.until(async () => {
      await meanwhile();
      try {
        await this.get();
        return false;
      } catch (error) {
        return isKubeError(error, 'NotFound');
      }
    }, `job ${this.name} is gone`);
  }

  /** Reports terminating pods as ended: a Kubernetes Job keeps a finalizer on its pods until then. */
  async endTerminating(): Promise<void> {
    const { framework } = this.#fixture;
    for (const { metadata, status } of await this.livePods()) {
      const isGoing = metadata?.deletionTimestamp !== undefined && status?.phase === 'Running';
      if (isGoing)
        await this.#fixture.report(metadata.name ?? '', failed(framework.containerName, 143), this.namespace);
    }
  }

  /** With the suite's names. */
  async livePods(): Promise<Pod[]> {
    const pods = await this.#fixture.list(PODS, this.namespace);
    const names = this.#fixture.knownNames(pods);
    return this.#ofJob(pods.map((pod, at) => ({ ...pod, metadata: { ...pod.metadata, name: names[at] ?? '' } })));
  }

  async liveServices(): Promise<Service[]> {
    return this.#ofJob(await this.#fixture.list(SERVICES, this.namespace));
  }

  async pod(name: string): Promise<Pod> {
    return this.#fixture.client.get(PODS, {
      namespace: this.namespace,
      name: await this.#fixture.podName(name, this.namespace),
    });
  }

  async uids(): Promise<Record<string, string>> {
    const pods = await this.livePods();
    return Object.fromEntries(pods.map(({ metadata }) => [metadata?.name ?? '', metadata?.uid ?? ''] as const));
  }

  async deletePod(name: string): Promise<void> {
    const { namespace } = this;
    await this.#fixture.client.delete(PODS, { namespace, name: await this.#fixture.podName(name, namespace) });
  }

  /** Waits until exactly these pods exist, and none is terminating. */
  async podsToBe(names: readonly string[] = this.pods): Promise<Pod[]> {
    let seen: Pod[] = [];
    const wanted = [...names].sort();
    await this.#makeWayForLast(names);
    return this.#fixture.until(
      async () => {
        seen = await this.livePods();
        const areStaying = seen.every(({ metadata }) => metadata?.deletionTimestamp === undefined);
        return areStaying && JSON.stringify(namesOf(seen)) === JSON.stringify(wanted) && seen;
      },
      async () => ({ expected: wanted, seen: namesOf(seen), status: await this.status().catch(String) }),
    );
  }

  /** Reports the others as running, for which the job's last pods wait. */
  async #makeWayForLast(names: readonly string[]): Promise<void> {
    const last = this.#fixture.framework.lastPods?.(this.name) ?? [];
    const live = namesOf(await this.livePods());
    if (!names.some((name) => last.includes(name) && !live.includes(name))) return;
    const others = names.filter((name) => !last.includes(name));
    const pods = await this.#fixture.until(
      async () => {
        const there = (await this.livePods()).filter(({ metadata }) => others.includes(metadata?.name ?? ''));
        return there.length === others.length && there;
      },
      () => ({ wanted: others }),
    );
    const waiting = pods.filter(({ status }) => status?.phase === 'Pending');
    await this.#fixture.reportRunning(namesOf(waiting), this.namespace);
  }

  /** Waits until the operator's own objects are deleted; Jobs and StatefulSets clean up their own pods. */
  async cleanedUp(): Promise<void> {
    if (this.made.length === this.pods.length) return this.noChildren();
    await this.podsToBe(this.pods.filter((pod) => !this.made.includes(pod) && !this.endless.includes(pod)));
  }

  async noChildren(): Promise<void> {
    let left: (string | undefined)[] = [];
    await this.#fixture.until(
      async () => {
        const services = this.#fixture.framework.hasOwnNetwork === true ? [] : await this.liveServices();
        left = namesOf([...(await this.livePods()), ...services]);
        return left.length === 0;
      },
      () => ({ 'left of job': this.name, left }),
    );
  }

  async recreated(pod: string, uid: string): Promise<Pod> {
    return this.#fixture.until(async () => {
      const seen = await this.pod(pod);
      return seen.metadata?.uid !== uid && seen;
    }, `pod ${pod} is recreated`);
  }

  /** Fails a replica four times in a row. Its back-off is then 40 seconds, more than a case needs. */
  async failAgainAndAgain(pod: string): Promise<void> {
    const { framework, clock } = this.#fixture;
    for (const times of [1, 2, 3, 4]) {
      const uid = (await this.pod(pod)).metadata?.uid ?? '';
      await this.#fixture.report(pod, failed(framework.containerName, 137), this.namespace);
      await this.statusToBe(`${times} restarts`, ({ restartCount }) => restartCount === times);
      if (times === 4) return;
      clock.advance(20_000);
      await this.recreated(pod, uid);
      await this.#fixture.report(pod, running(framework.containerName), this.namespace);
    }
  }

  async stateToBe(state: string): Promise<NonNullable<ConformanceJob['status']>> {
    return this.statusToBe(`state ${state}`, (status) => status.state === state);
  }

  async statusToBe(
    what: string,
    holds: (status: NonNullable<ConformanceJob['status']>) => boolean,
  ): Promise<NonNullable<ConformanceJob['status']>> {
    let seen: ConformanceJob['status'];
    return this.#fixture.until(
      async () => {
        seen = await this.status();
        return holds(seen) && seen;
      },
      () => ({ expected: `${what} of ${this.name}`, status: seen }),
    );
  }

  /** Waits for its pods and reports them as running, until the job runs. */
  async run(): Promise<void> {
    await this.podsToBe();
    await this.#fixture.reportRunning(this.pods, this.namespace);
    const counted = this.ownsNoPods ? 0 : this.pods.length;
    await this.statusToBe('condition Running with all pods active', ({ conditions = [], replicaStatuses = {} }) => {
      const active = Object.values(replicaStatuses).reduce((sum, role) => sum + (role.active ?? 0), 0);
      return active === counted && conditions.some(({ type, status }) => type === 'Running' && status === 'True');
    });
  }

  /** Reports success. With cleanPodPolicy unset, waits until endless pods are deleted. */
  async succeed(): Promise<void> {
    const { containerName } = this.#fixture.framework;
    await Promise.all(this.deciding.map((pod) => this.#fixture.report(pod, succeeded(containerName))));
    await this.#fixture.until(
      async () => (await this.conditions()).includes('Succeeded=True'),
      async () => ({ expected: 'Succeeded', status: await this.status().catch(String) }),
    );
    if (this.endless.length > 0 && this.shape.runPolicy?.cleanPodPolicy === undefined)
      await this.podsToBe(this.lasting);
  }

  /** Ends the job, or suspends it if it is endless, and waits until its pods are deleted. */
  async stop(): Promise<void> {
    if (this.isEndless) {
      await this.suspend(true);
      return this.noChildren();
    }
    await this.succeed();
    await this.cleanedUp();
  }

  async conditions(): Promise<string[]> {
    return ((await this.status()).conditions ?? []).map(({ type, status }) => `${type}=${status}`);
  }

  async condition(type: string): Promise<JobCondition | undefined> {
    return (await this.status()).conditions?.find((condition) => condition.type === type);
  }

  async events(): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const { reason = '', series } of await this.#fixture.eventsAbout(this.name)) {
      counts[reason] = (counts[reason] ?? 0) + (series?.count ?? 1);
    }
    return counts;
  }

  async createdPods(): Promise<string[]> {
    const created = (await this.#fixture.eventsAbout(this.name)).filter(
      ({ reason }) => reason === 'SuccessfulCreatePod',
    );
    return created.flatMap(({ note = '', series }) => {
      const [, names = ''] = /^Created (?:pod|\d+ pods): ([^;]*)/.exec(note) ?? [];
      // A repeated event is counted in its series.
      return Array.from({ length: series?.count ?? 1 }, () => names.split(', ')).flat();
    });
  }

  async eventToBe(reason: string): Promise<number> {
    let seen: Record<string, number> = {};
    return this.#fixture.until(
      async () => {
        seen = await this.events();
        return seen[reason];
      },
      () => ({ expected: reason, emitted: seen }),
    );
  }

  #ofJob<T extends Pod | Service>(objects: readonly T[]): T[] {
    const { jobLabel = LABELS.jobName } = this.#fixture.framework;
    return objects
      .filter(({ metadata }) => metadata?.labels?.[jobLabel] === this.name)
      .sort((a, b) => ((a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1));
  }
}

function podTemplate(name: string, { labels, finalizers, podSpec }: TestJobShape): PodTemplateSpec {
  return {
    metadata: { ...(labels && { labels }), ...(finalizers && { finalizers }) },
    // No scheduler has this name, so no real or simulated node runs the pods.
    spec: { schedulerName: 'absent', containers: [{ name, image: 'registry.example/train:1' }], ...podSpec },
  };
}

function namesOf(objects: readonly (Pod | Service)[]): string[] {
  return objects.map(({ metadata }) => metadata?.name ?? '');
}
