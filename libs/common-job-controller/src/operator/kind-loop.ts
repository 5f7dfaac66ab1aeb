/** The reconcile loop of one kind, and its work during a term as leader. */
import {
  type Clock,
  Controller,
  type EventRecorder,
  objectReference,
  type Semaphore,
  type TermWork,
  WorkQueue,
} from '@muster/controller';
import { ANNOTATIONS, type KubeObject } from '@muster/job-api';
import type { ClusterClient, Logger } from '@muster/kube';
import type { Registry } from 'prom-client';
import type { CountedNamespaces } from '../metrics/counted-namespaces.ts';
import { JobMetrics } from '../metrics/job-metrics.ts';
import { ProbePoller, type SendProbe } from '@muster/probes';
import { labellingWork } from '../owned-resources/label-owned-resources.ts';
import { WRITES_PER_RUN } from '../reconcile/bounded-plan.ts';
import { Expectations } from '../reconcile/expectations.ts';
import { JobMemory } from '../reconcile/job-memory.ts';
import type { Dependencies } from '../reconcile/reconcile-run.ts';
import { jobReconciler } from '../reconcile/reconcile-job.ts';
import type { PlanSettings } from '../world/world.ts';
import { isStripped, ownStatusOf } from '../status/own-status.ts';
import { enqueueOnChange } from './job-informers.ts';
import type { RunSink } from './run-sink.ts';
import type { WatchedKind } from '../reconcile/observe.ts';

interface LoopSettings {
  readonly client: ClusterClient;
  readonly registry: Registry;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly namespaces: readonly string[];
  readonly concurrency: number;
  readonly settings: PlanSettings;
  readonly events: EventRecorder;
  readonly sendProbe: SendProbe;
  readonly counted: CountedNamespaces;
  readonly writes: Semaphore;
  readonly probes: Semaphore;
  readonly recorder?: Pick<RunSink, 'record' | 'recordDeletion'> | undefined;
}

export class KindLoop {
  #kind: WatchedKind;
  #shared: LoopSettings;
  #dependencies: Dependencies;
  #queue: WorkQueue | undefined;
  /** The API server drops fields that Muster's CRD has. */
  #isForeignCrd = false;

  constructor(kind: WatchedKind, shared: LoopSettings) {
    const { adapter, caches } = kind;
    const { client, registry, clock, sendProbe, events, writes, probes, counted, recorder } = shared;
    this.#kind = kind;
    this.#shared = shared;
    this.#dependencies = {
      client,
      clock,
      caches,
      resource: adapter.resource,
      ...(adapter.ownerVersion && { ownerVersion: (manifest) => adapter.ownerVersion?.(manifest) }),
      expectations: new Expectations(clock),
      memory: new JobMemory(clock),
      poller: new ProbePoller({ send: sendProbe, clock, parallel: probes, changed: (job) => this.#queue?.add(job) }),
      metrics: new JobMetrics(registry, { framework: adapter.framework, kind: adapter.resource.kind }, counted),
      events: (regarding, event) => events.record(objectReference(adapter.resource, regarding), event),
      writes,
      record: recorder && ((run) => recorder.record(run)),
      isStripped: (stored) => this.#isStripped(stored),
      ownStatusOf: (record) => ownStatusOf(adapter, record),
    };
  }

  term(): TermWork {
    const { client, registry, logger, clock, namespaces, concurrency, settings, events } = this.#shared;
    const { adapter, caches } = this.#kind;
    const dependencies = this.#dependencies;
    const { expectations, poller, memory } = dependencies;
    const base = { registry, clock };
    const queue = new WorkQueue({ ...base, name: adapter.resource.plural });
    this.#queue = queue;
    const kinds = caches.ownedResources.map(({ kind }) => kind);
    const labelling = labellingWork({ client, logger, adapter, namespaces, kinds, clock });
    const reconcile = jobReconciler(adapter, dependencies, { writesPerRun: WRITES_PER_RUN, ...settings }, clock);
    const name = adapter.resource.kind.toLowerCase();
    const controller = new Controller({ ...base, logger, name, queue, reconcile, workers: concurrency });
    const deleted = (job: KubeObject) => {
      events.forget(objectReference(adapter.resource, job));
      this.#shared.recorder?.recordDeletion?.(adapter.resource, job);
    };
    let unsubscribes: readonly (() => void)[] = [];
    return {
      start: () => {
        // Outdated, because another process may have led in between.
        memory.forgetAll();
        expectations.forgetAll();
        labelling.start();
        unsubscribes = [enqueueOnChange(this.#kind, queue, dependencies), caches.jobs.subscribe({ deleted })];
        controller.start();
      },
      abort: (reason) => {
        poller.stop();
        labelling.abort(reason);
        controller.abort(reason);
      },
      stop: async (deadlineMs) => {
        unsubscribes.forEach((unsubscribe) => unsubscribe());
        await Promise.all([labelling.stop(deadlineMs), controller.stop(deadlineMs)]);
        poller.stop();
      },
    };
  }

  #isStripped(stored: object): boolean {
    const { adapter } = this.#kind;
    const isForeign = isStripped(adapter, stored);
    if (isForeign && !this.#isForeignCrd) {
      const { resource, installHint } = adapter;
      this.#shared.logger.warn(
        "the CustomResourceDefinition is not Muster's: status fields that it drops are kept in an annotation",
        { resource: resource.plural, annotation: ANNOTATIONS.status, install: installHint },
      );
    }
    this.#isForeignCrd = isForeign;
    return isForeign;
  }
}

/** @param onTerm called with true when the work starts, and with false when it ends */
export function together(onTerm: (isLeading: boolean) => void, ...works: readonly TermWork[]): TermWork {
  return {
    start: () => {
      onTerm(true);
      works.forEach((work) => work.start());
    },
    abort: (reason) => {
      onTerm(false);
      works.forEach((work) => work.abort(reason));
    },
    stop: async (deadlineMs) => {
      onTerm(false);
      await Promise.all(works.map((work) => work.stop(deadlineMs)));
    },
  };
}
