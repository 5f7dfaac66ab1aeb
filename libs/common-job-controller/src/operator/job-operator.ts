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
import type { KubeObject, Lease, Resource } from '@muster/job-api';
import { exportCacheSizes, type ClusterClient, type Informer, type Logger } from '@muster/kube';
import { ELECTION, scrapedGauge } from '@muster/metrics';
import type { Registry } from 'prom-client';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import { clusterProbe, type SendProbe, type ServiceAccess } from '@muster/probes';
import { groupKinds } from '../contract/gang-settings.ts';
import { CountedNamespaces } from '../metrics/counted-namespaces.ts';
import { exportJobGauges } from '../gauges/job-gauges.ts';
import { exportKindGauges } from '../gauges/kind-gauges.ts';
import { exportPerJobGauges } from '../gauges/per-job-gauges.ts';
import { operatorPermissions, leasePermissions, nodePermissions } from './permissions.ts';
import {
  KUEUE_WORKLOADS,
  kueueClusterPermissions,
  kueuePermissions,
  QUEUEING_RESOURCES,
} from '../queueing/kueue-objects.ts';
import type { PlannedRun } from '../reconcile/plan.ts';
import type { PlanSettings } from '../world/world.ts';
import { AccessCheck, type AccessRequest } from './access-check.ts';
import { informerProblem } from './informer-problem.ts';
import { isAbsent, jobInformers, leaseInformer } from './job-informers.ts';
import type { WatchedKind } from '../reconcile/observe.ts';
import { KindLoop, together } from './kind-loop.ts';
import { Leading } from './leading.ts';
import { leaseMarks, leaseName, leaseScopeProblem, otherOperatorProblem, type LeaseScope } from './lease-scope.ts';
import { informersComponent, unsyncedComponent, workComponent } from './operator-components.ts';
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

/** Receives each planned reconcile run, as `libs/recording`'s `RunRecorder` does. */
export interface RunSink {
  /** Must neither throw nor wait. */
  record(run: PlannedRun): void;
  close(): Promise<void>;
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

type Readiness = Readonly<Record<'caches' | 'lease' | 'permissions', string[]>>;

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
  #access: AccessCheck;
  #counted: CountedNamespaces;
  #checks = new AbortController();
  #leading = new Leading();
  #lifecycle: Lifecycle;

  constructor(options: JobOperatorOptions) {
    this.#options = options;
    const { logger, registry } = options;
    this.#clock = options.clock ?? systemClock;
    const base = { registry, logger, clock: this.#clock };

    const { all, kinds } = jobInformers(options, options.adapters);
    this.#informers = all;
    this.#kinds = kinds;
    this.#counted = new CountedNamespaces(
      registry,
      this.#clock,
      kinds.map(({ caches }) => caches.jobs),
    );
    const reportingController = `muster.dev/${frameworkOf(options)}`;
    const events = new EventRecorder({ ...base, client: options.client, reportingController });
    const shared = {
      ...options,
      ...{ clock: this.#clock, events, sendProbe: options.sendProbe ?? this.#sendProbe(), counted: this.#counted },
      ...{ writes: new Semaphore(PARALLEL_WRITES), probes: new Semaphore(PARALLEL_PROBES) },
    };
    const loops = kinds.map((kind) => new KindLoop(kind, shared));
    const work = () => this.#leading.during(together(loops.map((loop) => loop.term())));

    const leases = leasesOf(options);
    this.#leases = leases;
    this.#exportGauges();
    this.#terms = leases && this.#leaderTerms(leases, work);
    this.#access = new AccessCheck(options.client, accessRequests(options), this.#clock, logger);
    this.#lifecycle = new Lifecycle({
      logger,
      clock: this.#clock,
      stopDeadlineMs: options.shutdownTimeoutMs,
      components: [
        ...(leases ? [unsyncedComponent(leases)] : []),
        informersComponent(this.#informers, mayBeAbsent(options)),
        ...(this.#terms ? [this.#terms.election] : []),
        events,
        this.#terms?.work ?? workComponent(work()),
      ],
    });
  }

  start(): Promise<void> {
    void this.#access.run(this.#checks.signal);
    void this.#counted.run(this.#checks.signal);
    this.#lifecycle.start().catch((error: unknown) => {
      this.#options.logger.error('the operator cannot start', { error: String(error) });
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
    const caches = this.#informers.flatMap((informer) => {
      if (isOfJobsAlone(informer, this.#options) && isAbsent(informer)) return [];
      const kind = this.#kinds.find(({ jobs }) => jobs === informer);
      return informerProblem(informer, kind?.adapter.installHint) ?? [];
    });
    const permissions = [...(this.#access.missing ?? ['permissions are being checked'])];
    return { caches, lease: this.#leaseProblems(), permissions };
  }

  problems(): string[] {
    return Object.values(this.readiness()).flat();
  }

  /** Only the leader exports job gauges, or every process would count the same jobs. */
  #exportGauges(): void {
    const { registry, settings, perJobMetrics = true } = this.#options;
    exportCacheSizes(registry, [...this.#informers, ...(this.#leases ? [this.#leases] : [])]);
    const around = () =>
      this.#leading.isOn
        ? { kinds: this.#kinds, gang: settings.gang, gangs: settings.gangs, nowMs: this.#clock.now() }
        : undefined;
    exportJobGauges(registry, around);
    scrapedGauge(registry, ELECTION.leads, () => this.#leadership());
    if (!perJobMetrics) return;
    exportPerJobGauges(registry, around);
    for (const kind of this.#kinds) exportKindGauges(registry, kind, () => this.#leading.isOn);
  }

  #leadership() {
    const { adapters, namespaces } = this.#options;
    const watched = namespaces.length === 0 ? ['*'] : namespaces;
    const value = this.#leading.isOn ? 1 : 0;
    return adapters.flatMap(({ resource: { kind } }) =>
      watched.map((namespace) => ({ labels: { kind, watched_namespace: namespace }, value })),
    );
  }

  #sendProbe(): SendProbe {
    const { client, services = 'Proxy', settings } = this.#options;
    return clusterProbe({ client, clock: this.#clock, services, clusterDomain: settings.clusterDomain });
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
    const { registry, logger, leaderElection, onLeadershipLost } = this.#options;
    const { enabled: _enabled, id: _id, ...settings } = leaderElection;
    const base = { logger, clock: this.#clock };
    const client = leaseClientOf(this.#options);
    const name = leaseNameOf(this.#options);
    const scope = scopeOf(this.#options);
    const otherLeases = otherOperators({ ...base, client, name, scope, namespace: leaderElection.namespace });
    const identity = `${hostname()}_${randomUUID()}`;
    return new LeaderTerms({
      ...base,
      elector: (onLost) =>
        new LeaderElector({
          ...base,
          ...settings,
          client,
          registry,
          identity,
          marks: leaseMarks(scope),
          name,
          leases,
          otherLeases,
          onLost,
        }),
      work,
      endWithinMs: settings.leaseDurationMs - settings.renewDeadlineMs,
      onStuck: onLeadershipLost,
    });
  }
}

function groupsOf({ settings }: Pick<JobOperatorOptions, 'settings'>): ReadonlySet<Resource> {
  return new Set(groupKinds(settings).map(({ resource }) => resource));
}

/** Jobs that need these wait, and others run. */
function mayBeAbsent(options: Pick<JobOperatorOptions, 'settings'>): ReadonlySet<Resource> {
  const ofKueue: readonly Resource[] = [KUEUE_WORKLOADS, ...QUEUEING_RESOURCES];
  return new Set([...groupsOf(options), ...ofKueue]);
}

/** Only jobs that name its gang scheduler need it, so the operator is ready without. */
function isOfJobsAlone({ resource }: Informer<KubeObject>, options: Pick<JobOperatorOptions, 'settings'>): boolean {
  return resource !== options.settings.gang?.groups?.resource && groupsOf(options).has(resource);
}

function frameworkOf({ adapters: [first] }: Pick<JobOperatorOptions, 'adapters'>): string {
  return first.framework;
}

function scopeOf(options: JobOperatorOptions): LeaseScope {
  const { adapters, namespaces } = options;
  return { framework: frameworkOf(options), namespaces, kinds: adapters.map(({ resource }) => resource) };
}

function leaseNameOf(options: JobOperatorOptions): string {
  return options.leaderElection.id ?? leaseName(frameworkOf(options), options.namespaces);
}

function leaseClientOf({ client, leaseClient }: Pick<JobOperatorOptions, 'client' | 'leaseClient'>): ClusterClient {
  return leaseClient ?? client;
}

function leasesOf(options: JobOperatorOptions): Informer<Lease> | undefined {
  const { leaderElection, registry, logger } = options;
  if (!leaderElection.enabled) return undefined;
  return leaseInformer(
    { client: leaseClientOf(options), registry, logger },
    leaderElection.namespace,
    leaseNameOf(options),
  );
}

function accessRequests(options: JobOperatorOptions): AccessRequest[] {
  const { adapters, namespaces, leaderElection, settings, services = 'Proxy' } = options;
  const sendsThroughApiServer = services === 'Proxy' && adapters.some(({ probes }) => probes?.sendsToServices === true);
  const permissions = [
    ...operatorPermissions(adapters, settings.gang, settings.gangs),
    ...(settings.kueue === true ? kueuePermissions() : []),
    ...(sendsThroughApiServer ? [{ group: '', resource: 'services/proxy', verbs: ['get', 'create'] }] : []),
  ];
  const where = namespaces.length === 0 ? [undefined] : namespaces;
  return [
    ...where.map((namespace) => ({ permissions, namespace })),
    ...(settings.forceDeletePodsOnLostNodes === true ? [{ permissions: nodePermissions(), namespace: undefined }] : []),
    ...(settings.kueue === true ? [{ permissions: kueueClusterPermissions(), namespace: undefined }] : []),
    ...(leaderElection.enabled ? [{ permissions: leasePermissions(), namespace: leaderElection.namespace }] : []),
  ];
}
