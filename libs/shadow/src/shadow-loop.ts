/** The loop of one kind whose jobs another operator runs. It has no client that writes. */
import {
  enqueueOnChange,
  Expectations,
  type FrameworkAdapter,
  jobKeysOf,
  type JobManifest,
  JobMemory,
  type PlanSettings,
  type WatchedKind,
} from '@muster/common-job-controller';
import { Controller, type Clock, type TermWork, WorkQueue } from '@muster/controller';
import { admitted, type Pod } from '@muster/job-api';
import type { KubeClient, Logger } from '@muster/kube';
import type { Registry } from 'prom-client';
import { shadowReconciler } from './shadow-job.ts';
import { ShadowLedger } from './shadow-ledger.ts';
import { ShadowRecords } from './shadow-record.ts';

interface ShadowSettings {
  readonly client: Pick<KubeClient, 'get'>;
  readonly registry: Registry;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly concurrency: number;
  readonly settings: PlanSettings;
  readonly settleMs: number;
}

export class ShadowLoop {
  readonly ledger: ShadowLedger;
  #kind: WatchedKind;
  #shared: ShadowSettings;

  constructor(kind: WatchedKind, shared: ShadowSettings) {
    this.ledger = new ShadowLedger(kind.adapter.resource.kind);
    this.#kind = kind;
    this.#shared = shared;
  }

  work(): TermWork {
    const { registry, logger, clock, concurrency, settings } = this.#shared;
    const { adapter, caches } = this.#kind;
    const memory = new JobMemory(clock);
    const records = new ShadowRecords();
    const queue = new WorkQueue({ registry, clock, name: adapter.resource.plural });
    const withDefaults = defaultsOf(adapter);
    const tools = { ...this.#shared, caches, memory, records, withDefaults, ledger: this.ledger };
    const reconcile = shadowReconciler(adapter, tools, settings);
    const name = adapter.resource.kind.toLowerCase();
    const controller = new Controller({ registry, clock, logger, name, queue, reconcile, workers: concurrency });
    const keysOf = jobKeysOf(adapter);
    const noteChange = (before: Pod | undefined, pod: Pod) =>
      keysOf(pod).forEach((job) => records.noteChange(job, before, pod));
    let unsubscribes: readonly (() => void)[] = [];
    return {
      start: () => {
        unsubscribes = [
          caches.pods.subscribe({ added: (pod) => noteChange(undefined, pod), updated: noteChange }),
          enqueueOnChange(this.#kind, queue, { expectations: new Expectations(clock), memory }),
        ];
        controller.start();
      },
      abort: (reason) => controller.abort(reason),
      stop: async (deadlineMs) => {
        unsubscribes.forEach((unsubscribe) => unsubscribe());
        await controller.stop(deadlineMs);
      },
    };
  }
}

/** Each manifest is completed once. One that Muster's CRD rejects stays as it is: its plan reports that. */
function defaultsOf({ definition }: FrameworkAdapter): (manifest: JobManifest) => JobManifest {
  const completed = new WeakMap<JobManifest, JobManifest>();
  return (manifest) => {
    const known = completed.get(manifest);
    if (known !== undefined || definition === undefined) return known ?? manifest;
    const { status, ...own } = manifest;
    let whole = manifest;
    try {
      whole = { ...admitted(definition, own), ...(status && { status }) };
    } catch {
      // `problems` of the adapter finds the same mistakes.
    }
    completed.set(manifest, whole);
    return whole;
  };
}
