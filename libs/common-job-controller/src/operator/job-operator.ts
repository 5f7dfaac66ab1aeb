/**
 * One framework's operator without its shell: the informers, the leader election and the reconcile loop that belong
 * together, started and stopped in order. `libs/operator-host` wraps it in a process with probes and metrics; tests run
 * it against a real API server.
 */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import {
  Controller,
  EventRecorder,
  LeaderElector,
  LeaderTerms,
  Lifecycle,
  objectReference,
  systemClock,
  WorkQueue,
  type Clock,
  type Reconcile,
  type TermWork,
} from '@muster/controller';
import { ANNOTATIONS, type JobStatus, type KubeObject, type Lease } from '@muster/job-api';
import type { ClusterClient, Informer, Logger } from '@muster/kube';
import type { Registry } from 'prom-client';
import { AccessCheck, type AccessQuestion } from './access-check.ts';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import { WRITES_PER_PASS } from '../reconcile/bounded-plan.ts';
import { Expectations } from '../reconcile/expectations.ts';
import { informerProblem } from './informer-problem.ts';
import { ownedKinds, operatorPermissions } from '../owned-resources/job-owned-resources.ts';
import { allInformers, enqueueOnChange, jobInformers, leaseInformer, type JobInformers } from './job-informers.ts';
import { JobMemory } from '../reconcile/job-memory.ts';
import { exportJobGauges, JobMetrics } from './job-metrics.ts';
import { isStripped, withOwnStatus } from '../status/own-status.ts';
import type { Tools } from '../reconcile/pass.ts';
import { leasePermissions, nodePermissions } from './permissions.ts';
import { labellingWork } from '../owned-resources/label-owned-resources.ts';
import { leaseName, leaseScopeProblem, namespacesText, NAMESPACES_ANNOTATION } from './lease-scope.ts';
import { jobReconciler } from '../reconcile/reconcile-job.ts';
import { informersComponent, unsyncedComponent, workComponent } from './operator-components.ts';
import { Semaphore } from '../reconcile/semaphore.ts';
import type { PlanSettings } from '../reconcile/world.ts';

export interface JobOperatorOptions {
  adapter: FrameworkAdapter;
  client: ClusterClient;
  /** For the Lease: a client of its own, so that renewals never queue behind a job's writes. Default: `client`. */
  leaseClient?: ClusterClient;
  registry: Registry;
  logger: Logger;
  clock?: Clock;
  /** Namespaces to look after; empty for all of them. */
  namespaces: readonly string[];
  /** Jobs reconciled at the same time. */
  concurrency: number;
  /** What holds for all jobs. */
  settings: PlanSettings;
  leaderElection: LeaderElectionSettings;
  /** How long stopping may take. */
  shutdownTimeoutMs: number;
  /** Called once when what it does as a leader cannot be ended after a loss: the process has to end, or two would act. */
  onLeadershipLost: () => void;
}

interface LeaderElectionSettings {
  readonly enabled: boolean;
  /** Where the Lease is. */
  readonly namespace: string;
  /** The Lease's name. Default: what follows from the framework and the namespaces. */
  readonly id?: string;
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

export interface JobOperator {
  /** Starts everything; resolves when it is under way (not when caches are in sync: see `problems`). */
  start(): Promise<void>;
  /** Stops intake, lets running reconciles end, flushes events, then gives the Lease up. */
  stop(): Promise<void>;
  /** What keeps the operator from being ready, one line each, in words that say what to do; empty when ready. */
  problems(): string[];
  /** What says the process is sick and should be restarted (stuck lease renewals); empty when alive. */
  sickness(): string[];
}

/** Writes to the API server under way at once, over all jobs. */
const PARALLEL_WRITES = 64;

export function createJobOperator(options: JobOperatorOptions): JobOperator {
  return new FrameworkOperator(options);
}

class FrameworkOperator implements JobOperator {
  #options: JobOperatorOptions;
  #clock: Clock;
  #informers: readonly Informer<KubeObject>[];
  #jobs: Informer<KubeObject>;
  #leases: Informer<Lease> | undefined;
  #terms: LeaderTerms | undefined;
  #access: AccessCheck;
  #checks = new AbortController();
  /** Whether the API server drops what Muster's own CRD would keep. */
  #isForeignCrd = false;
  #lifecycle: Lifecycle;

  constructor(options: JobOperatorOptions) {
    this.#options = options;
    const { logger, registry, adapter } = options;
    this.#clock = options.clock ?? systemClock;
    const base = { registry, logger, clock: this.#clock };

    const caches = jobInformers(options, adapter, ownedKinds(adapter, options.settings.gang));
    this.#jobs = caches.jobs;
    this.#informers = allInformers(caches);
    exportJobGauges(registry, adapter.framework, {
      jobs: () => caches.jobs.list().map(withOwnStatus),
      pods: () => caches.pods.list(),
    });
    const events = new EventRecorder({ ...base, client: options.client, reportingController: reporter(adapter) });
    const tools = this.#tools(caches, events);
    const settings = { writesPerPass: WRITES_PER_PASS, ...options.settings };
    const reconcile = jobReconciler(adapter, tools, settings, this.#clock);
    const work = () => this.#work(caches, tools, reconcile);

    const leases = leasesOf(options);
    this.#leases = leases;
    this.#terms = leases && this.#leaderTerms(leases, work);
    this.#access = new AccessCheck(options.client, accessQuestions(options), this.#clock, logger);
    this.#lifecycle = new Lifecycle({
      logger,
      clock: this.#clock,
      stopDeadlineMs: options.shutdownTimeoutMs,
      components: [
        ...(leases ? [unsyncedComponent(leases)] : []),
        informersComponent(this.#informers),
        ...(this.#terms ? [this.#terms.election] : []),
        events,
        this.#terms?.work ?? workComponent(work()),
      ],
    });
  }

  start(): Promise<void> {
    void this.#access.run(this.#checks.signal);
    this.#lifecycle.start().catch((error: unknown) => {
      this.#options.logger.error('the operator cannot start', { error: String(error) });
      this.#options.onLeadershipLost();
    });
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    this.#checks.abort();
    await this.#lifecycle.stop();
  }

  problems(): string[] {
    const broken = this.#informers.flatMap((informer) => {
      const hint = informer === this.#jobs ? this.#options.adapter.installHint : undefined;
      return informerProblem(informer, hint) ?? [];
    });
    return [...broken, ...this.#leaseProblems(), ...(this.#access.missing ?? ['permissions are being checked'])];
  }

  #leaseProblems(): string[] {
    if (this.#leases === undefined) return [];
    const { leaderElection, namespaces } = this.#options;
    const lease = this.#leases.get(`${leaderElection.namespace}/${leaseNameOf(this.#options)}`);
    const problem = informerProblem(this.#leases) ?? leaseScopeProblem(lease, namespaces);
    return problem === undefined ? [] : [problem];
  }

  sickness(): string[] {
    const ageMs = this.#terms?.lastRenewAgeMs ?? 0;
    return ageMs > this.#options.leaderElection.leaseDurationMs
      ? [`the Lease was last renewed ${Math.round(ageMs / 1000)} s ago: the process is stuck`]
      : [];
  }

  #tools(caches: JobInformers, events: EventRecorder): Tools {
    const { adapter, client, registry } = this.#options;
    return {
      client,
      clock: this.#clock,
      caches,
      resource: adapter.resource,
      expectations: new Expectations(this.#clock),
      memory: new JobMemory(this.#clock),
      metrics: new JobMetrics(registry, adapter.framework),
      events: (regarding, event) => events.record(objectReference(adapter.resource, regarding), event),
      writes: new Semaphore(PARALLEL_WRITES),
      noteStored: (status) => this.#noteStored(status),
    };
  }

  #noteStored(status: JobStatus): void {
    if (isStripped(status) && !this.#isForeignCrd) {
      const { logger, adapter } = this.#options;
      logger.warn(
        "the CustomResourceDefinition is not Muster's: what it drops of the status is kept in an annotation",
        {
          resource: adapter.resource.plural,
          annotation: ANNOTATIONS.status,
          install: adapter.installHint,
        },
      );
    }
    this.#isForeignCrd = isStripped(status);
  }

  /** What is done while this process leads: the queue is filled anew each time, out of the caches. */
  #work(caches: JobInformers, tools: Tools, reconcile: Reconcile): TermWork {
    const { client, registry, logger, adapter, namespaces, concurrency } = this.#options;
    const base = { registry, clock: this.#clock };
    const kinds = caches.ownedResources.map(({ kind }) => kind);
    const labelling = labellingWork({ client, logger, adapter, namespaces, kinds, clock: this.#clock });
    const queue = new WorkQueue({ ...base, name: adapter.resource.plural });
    const name = adapter.resource.kind.toLowerCase();
    const controller = new Controller({ ...base, logger, name, queue, reconcile, workers: concurrency });
    let unsubscribe = () => {};
    return {
      start: () => {
        labelling.start();
        unsubscribe = enqueueOnChange(caches, queue, tools.expectations);
        controller.start();
      },
      abort: (reason) => {
        labelling.abort(reason);
        controller.abort(reason);
      },
      stop: async (deadlineMs) => {
        unsubscribe();
        await Promise.all([labelling.stop(deadlineMs), controller.stop(deadlineMs)]);
      },
    };
  }

  #leaderTerms(leases: Informer<Lease>, work: () => TermWork): LeaderTerms {
    const { registry, logger, leaderElection, namespaces, onLeadershipLost } = this.#options;
    const { enabled: _enabled, id: _id, ...settings } = leaderElection;
    const base = { logger, clock: this.#clock };
    const identity = `${hostname()}_${randomUUID()}`;
    return new LeaderTerms({
      ...base,
      elector: (onLost) =>
        new LeaderElector({
          ...base,
          ...settings,
          client: leaseClientOf(this.#options),
          registry,
          identity,
          annotations: { [NAMESPACES_ANNOTATION]: namespacesText(namespaces) },
          name: leaseNameOf(this.#options),
          leases,
          onLost,
        }),
      work,
      endWithinMs: settings.leaseDurationMs - settings.renewDeadlineMs,
      onStuck: onLeadershipLost,
    });
  }
}

function leaseNameOf({ adapter, namespaces, leaderElection }: JobOperatorOptions): string {
  return leaderElection.id ?? leaseName(adapter.framework, namespaces);
}

function reporter(adapter: FrameworkAdapter): string {
  return `muster.dev/${adapter.framework}`;
}

function leaseClientOf({ client, leaseClient }: Pick<JobOperatorOptions, 'client' | 'leaseClient'>): ClusterClient {
  return leaseClient ?? client;
}

function leasesOf(options: JobOperatorOptions): Informer<Lease> | undefined {
  const { leaderElection, logger } = options;
  if (!leaderElection.enabled) return undefined;
  return leaseInformer({ client: leaseClientOf(options), logger }, leaderElection.namespace, leaseNameOf(options));
}

function accessQuestions({ adapter, namespaces, leaderElection, settings }: JobOperatorOptions): AccessQuestion[] {
  const permissions = operatorPermissions(adapter, settings.gang);
  const where = namespaces.length === 0 ? [undefined] : namespaces;
  return [
    ...where.map((namespace) => ({ permissions, namespace })),
    ...(settings.forceDeletePodsOnLostNodes === true ? [{ permissions: nodePermissions(), namespace: undefined }] : []),
    ...(leaderElection.enabled ? [{ permissions: leasePermissions(), namespace: leaderElection.namespace }] : []),
  ];
}
