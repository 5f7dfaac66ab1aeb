/** One framework's operator. `libs/operator-host` runs it in a process with probes and metrics. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import {
  EventRecorder,
  LeaderElector,
  LeaderTerms,
  Lifecycle,
  Semaphore,
  systemClock,
  type Clock,
  type TermWork,
} from '@muster/controller';
import { LEASES, type KubeObject, type Lease, type Resource } from '@muster/job-api';
import { createInformer, exportCacheSizes, type ClusterClient, type Informer, type Logger } from '@muster/kube';
import { ELECTION, scrapedGauge } from '@muster/metrics';
import type { Registry } from 'prom-client';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import { clusterProbe, type SendProbe, type ServiceAccess } from '@muster/probes';
import { groupKinds } from '../contract/gang-settings.ts';
import { CountedNamespaces } from '../metrics/counted-namespaces.ts';
import { exportJobGauges } from '../gauges/job-gauges.ts';
import { exportPerJobGauges } from '../gauges/per-job-gauges.ts';
import { exportTimeCounters } from '../gauges/time-counters.ts';
import { operatorPermissions, leasePermissions, nodePermissions, type AccessRequest } from './permissions.ts';
import {
  KUEUE_WORKLOADS,
  kueueClusterPermissions,
  kueuePermissions,
  QUEUEING_RESOURCES,
} from '../queueing/kueue-objects.ts';
import type { RunSink } from './run-sink.ts';
import type { PlanSettings } from '../world/world.ts';
import { AccessCheck } from './access-check.ts';
import type { Permission } from '../model/permission.ts';
import { informerProblem, informersComponent, isAbsent } from './informer-pool.ts';
import { jobInformers } from './job-informers.ts';
import type { WatchedKind } from '../reconcile/observe.ts';
import { KindLoop, together } from './kind-loop.ts';
import { leaseMarks, leaseName, leaseScopeProblem, otherOperatorProblem } from './lease-scope.ts';
import { otherOperators } from './other-operators.ts';

export interface JobOperatorOptions {
  /** All of one framework. They share caches, Lease and metrics. */
  adapters: readonly [FrameworkAdapter, ...FrameworkAdapter[]];
  client: ClusterClient;
  /** Separate, so that renewals never wait behind writes for jobs. Default: `client`. */
  leaseClient?: ClusterClient;
  registry: Registry;
  /** Gauges of single jobs. Default: true. */
  perJobMetrics?: boolean;
  logger: Logger;
  clock?: Clock;
  /** Probes external status (see `libs/probes`). Default: over HTTP, and Services as in `services`. */
  sendProbe?: SendProbe;
  /** How Services are reached. Default: through the API server, which works from anywhere. */
  services?: ServiceAccess;
  namespaces: readonly string[];
  concurrency: number;
  settings: PlanSettings;
  leaderElection: LeaderElectionSettings;
  recorder?: RunSink | undefined;
  shutdownTimeoutMs: number;
  /** Called if the work of a lost term cannot be ended. The process must exit, because two would act. */
  onLeadershipLost: () => void;
}

interface LeaderElectionSettings {
  readonly enabled: boolean;
  readonly namespace: string;
  /** Default: derived from framework and namespaces. */
  readonly id?: string;
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

export type Readiness = Readonly<Record<'caches' | 'lease' | 'permissions', string[]>>;

export interface JobOperator {
  /** Resolves before the caches are synced: see `problems`. */
  start(): Promise<void>;
  /** Waits for running reconciles, flushes events, then releases the Lease. */
  stop(): Promise<void>;
  readiness(): Readiness;
  problems(): string[];
  /** Problems that require a restart, such as stuck lease renewals. Empty when alive. */
  livenessProblems(): string[];
}

const PARALLEL_WRITES = 64;

const PARALLEL_PROBES = 64;

export function createJobOperator(options: JobOperatorOptions): JobOperator {
  return new FrameworkOperator(options);
}

class FrameworkOperator implements JobOperator {
  #options: JobOperatorOptions;
  #clock: Clock;
  #informers: readonly Informer<KubeObject>[];
  #kinds: readonly WatchedKind[];
  #leases: Informer<Lease> | undefined;
  #terms: LeaderTerms | undefined;
  #access = new AccessCheck();
  #counted: CountedNamespaces;
  #checks = new AbortController();
  /** Also true without leader election. */
  #isLeading = false;
  #lifecycle: Lifecycle;

  constructor(options: JobOperatorOptions) {
    const { client, clock = systemClock, logger, registry, services = 'Proxy', settings } = options;
    this.#options = options;
    this.#clock = clock;
    const { all, kinds } = jobInformers(options, options.adapters);
    this.#informers = all;
    this.#kinds = kinds;
    const caches = kinds.map(({ caches: { jobs } }) => jobs);
    this.#counted = new CountedNamespaces(registry, clock, caches);
    const name = frameworkOf(options);
    const events = new EventRecorder({ registry, logger, clock, client, reportingController: `muster.dev/${name}` });
    const shared = {
      ...options,
      ...{ clock, events, counted: this.#counted },
      sendProbe: options.sendProbe ?? clusterProbe({ client, clock, services, clusterDomain: settings.clusterDomain }),
      ...{ writes: new Semaphore(PARALLEL_WRITES), probes: new Semaphore(PARALLEL_PROBES) },
    };
    const loops = kinds.map((kind) => new KindLoop(kind, shared));
    const onTerm = (isLeading: boolean) => {
      this.#isLeading = isLeading;
    };
    const work = () => together(onTerm, ...loops.map((loop) => loop.term()));

    const leases = leasesOf(options);
    this.#leases = leases;
    this.#exportGauges();
    this.#terms = leases && this.#leaderTerms(leases, work);
    this.#lifecycle = new Lifecycle({
      logger,
      clock,
      stopDeadlineMs: options.shutdownTimeoutMs,
      components: [
        // The elector also reads the Lease itself, so nothing waits for the watch.
        ...(leases ? [{ name: 'informer of leases', start: () => leases.start(), stop: () => leases.stop() }] : []),
        informersComponent(all, mayBeAbsent(options)),
        ...(this.#terms ? [this.#terms.election] : []),
        events,
        this.#terms?.work ?? { name: 'work', ...work() },
      ],
    });
  }

  start(): Promise<void> {
    const { client, logger } = this.#options;
    const access = { client, requests: accessRequests(this.#options), clock: this.#clock, logger };
    void this.#access.run(access, this.#checks.signal);
    void this.#counted.run(this.#checks.signal);
    this.#lifecycle.start().catch((error: unknown) => {
      logger.error('the operator cannot start', { error: String(error) });
      this.#options.onLeadershipLost();
    });
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    this.#checks.abort();
    await this.#lifecycle.stop();
    await this.#options.recorder?.close();
  }

  readiness(): Readiness {
    const caches = cacheProblems(this.#informers, this.#kinds, this.#options);
    const permissions = [...(this.#access.missing ?? ['permissions are being checked'])];
    return { caches, lease: this.#leaseProblems(), permissions };
  }

  problems(): string[] {
    return Object.values(this.readiness()).flat();
  }

  /** Only the leader exports job gauges, or every process would count the same jobs. */
  #exportGauges(): void {
    const { adapters, namespaces, registry, settings, perJobMetrics = true } = this.#options;
    exportCacheSizes(registry, [...this.#informers, ...(this.#leases ? [this.#leases] : [])]);
    const around = () =>
      this.#isLeading
        ? { kinds: this.#kinds, gang: settings.gang, gangs: settings.gangs, nowMs: this.#clock.now() }
        : undefined;
    exportJobGauges(registry, around);
    exportTimeCounters(registry, around);
    const watched = namespaces.length === 0 ? ['*'] : namespaces;
    const labels = adapters.flatMap(({ resource: { kind } }) =>
      watched.map((namespace) => ({ kind, watched_namespace: namespace })),
    );
    scrapedGauge(registry, ELECTION.leads, () =>
      labels.map((each) => ({ labels: each, value: Number(this.#isLeading) })),
    );
    if (perJobMetrics) exportPerJobGauges(registry, this.#kinds, around);
  }

  #leaseProblems(): string[] {
    if (this.#leases === undefined) return [];
    const { leaderElection, namespaces } = this.#options;
    const lease = this.#leases.get(`${leaderElection.namespace}/${leaseNameOf(this.#options)}`);
    const own = { leaseNamespace: leaderElection.namespace, hostname: hostname(), namespaces };
    const problem =
      informerProblem(this.#leases) ??
      leaseScopeProblem(lease, namespaces) ??
      otherOperatorProblem(this.#terms?.defersTo, own);
    return problem === undefined ? [] : [problem];
  }

  livenessProblems(): string[] {
    const ageMs = this.#terms?.lastRenewAgeMs ?? 0;
    return ageMs > this.#options.leaderElection.leaseDurationMs
      ? [`the Lease was last renewed ${Math.round(ageMs / 1000)} s ago: the process is stuck`]
      : [];
  }

  #leaderTerms(leases: Informer<Lease>, work: () => TermWork): LeaderTerms {
    const { adapters, client, leaseClient = client, namespaces, registry, logger } = this.#options;
    const { enabled: _enabled, id: _id, ...settings } = this.#options.leaderElection;
    const base = { logger, clock: this.#clock, client: leaseClient, name: leaseNameOf(this.#options) };
    const scope = {
      framework: frameworkOf(this.#options),
      namespaces,
      kinds: adapters.map(({ resource }) => resource),
    };
    const otherLeases = otherOperators({ ...base, scope, namespace: settings.namespace });
    const identity = `${hostname()}_${randomUUID()}`;
    const elector = { ...base, ...settings, registry, identity, marks: leaseMarks(scope), leases, otherLeases };
    return new LeaderTerms({
      ...base,
      elector: (onLost) => new LeaderElector({ ...elector, onLost }),
      work,
      endWithinMs: settings.leaseDurationMs - settings.renewDeadlineMs,
      onStuck: this.#options.onLeadershipLost,
    });
  }
}

/** Why the operator is not ready. */
export function cacheProblems(
  informers: readonly Informer<KubeObject>[],
  kinds: readonly WatchedKind[],
  options: Pick<JobOperatorOptions, 'adapters' | 'settings'>,
): string[] {
  return informers.flatMap((informer) => {
    if (isForSomeJobs(informer.resource, options) && isAbsent(informer)) return [];
    const kind = kinds.find(({ jobs }) => jobs === informer);
    return informerProblem(informer, kind?.adapter.installHint) ?? [];
  });
}

/** Jobs that need these wait, and others run. */
export function mayBeAbsent({
  adapters,
  settings,
}: Pick<JobOperatorOptions, 'adapters' | 'settings'>): ReadonlySet<Resource> {
  const optional = adapters.filter(({ isOptional }) => isOptional === true).map(({ resource }) => resource);
  const groups = groupKinds(settings).map(({ resource }) => resource);
  const owned = ownedForSomeJobs(adapters);
  return new Set<Resource>([...optional, ...owned, ...groups, KUEUE_WORKLOADS, ...Object.values(QUEUEING_RESOURCES)]);
}

function ownedForSomeJobs(adapters: JobOperatorOptions['adapters']): Resource[] {
  const kinds = adapters.flatMap(({ ownedResources }) => ownedResources?.kinds ?? []);
  return kinds.filter(({ mayBeAbsent: isOptional }) => isOptional === true).map(({ resource }) => resource);
}

/** Whether the operator is ready without it: an optional kind, or what only jobs that name its gang scheduler need. */
function isForSomeJobs(
  resource: Resource,
  { adapters, settings: { gang, gangs = [] } }: Pick<JobOperatorOptions, 'adapters' | 'settings'>,
): boolean {
  if (adapters.some((each) => each.isOptional === true && each.resource === resource)) return true;
  if (ownedForSomeJobs(adapters).includes(resource)) return true;
  return resource !== gang?.groups?.resource && gangs.some(({ groups }) => groups?.resource === resource);
}

function frameworkOf({ adapters: [first] }: JobOperatorOptions): string {
  return first.framework;
}

function leaseNameOf(options: JobOperatorOptions): string {
  return options.leaderElection.id ?? leaseName(frameworkOf(options), options.namespaces);
}

/** A single Lease, so that a follower notices its release at once. */
function leasesOf(options: JobOperatorOptions): Informer<Lease> | undefined {
  const { client, leaseClient = client, leaderElection, registry, logger } = options;
  if (!leaderElection.enabled) return undefined;
  return createInformer(leaseClient, LEASES, {
    namespaces: [leaderElection.namespace],
    fieldSelector: `metadata.name=${leaseNameOf(options)}`,
    registry,
    logger,
  });
}

/** By the methods of the requests: GET, POST and PUT to Services, GET to pods. */
const PROXY_PERMISSIONS: readonly Permission[] = [
  { group: '', resource: 'services/proxy', verbs: ['get', 'create', 'update'] },
  { group: '', resource: 'pods/proxy', verbs: ['get'] },
];

function accessRequests(options: JobOperatorOptions): AccessRequest[] {
  const { adapters, namespaces, leaderElection, settings, services = 'Proxy' } = options;
  const probesThroughApiServer =
    services === 'Proxy' && adapters.some(({ probes }) => probes?.sendsToServices === true);
  const permissions = [
    ...operatorPermissions(adapters, settings.gang, settings.gangs),
    ...(settings.kueue === true ? kueuePermissions() : []),
    ...(probesThroughApiServer ? PROXY_PERMISSIONS : []),
  ];
  const where = namespaces.length === 0 ? [undefined] : namespaces;
  return [
    ...where.map((namespace) => ({ permissions, namespace })),
    ...(settings.forceDeletePodsOnLostNodes === true ? [{ permissions: nodePermissions() }] : []),
    ...(settings.kueue === true ? [{ permissions: kueueClusterPermissions() }] : []),
    ...(leaderElection.enabled ? [{ permissions: leasePermissions(), namespace: leaderElection.namespace }] : []),
  ];
}
