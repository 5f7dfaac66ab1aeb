/**
 * The series of a namespace are removed when it has had no job for an hour. A later job starts them at 0, which `rate`
 * and `increase` handle like a process restart. No alert has a longer window, so no increase is lost.
 */
import { sleep, type Clock } from '@muster/controller';
import type { KubeObject } from '@muster/job-api';
import { NAMESPACE_SERIES_KEPT_MS, NAMESPACED_SERIES, removeSeries } from '@muster/metrics';
import type { Cache } from '@muster/kube';
import type { Registry } from 'prom-client';

const CHECKED_EVERY_MS = 5 * 60_000;

export interface KindLabels {
  readonly framework: string;
  readonly kind: string;
}

interface Counted {
  readonly kinds: Map<string, KindLabels>;
  /** Undefined while it has jobs. */
  emptySinceMs: number | undefined;
}

/** Of all kinds, because counters without the label `kind` are shared. */
type JobCaches = readonly Pick<Cache<KubeObject>, 'list'>[];

export class CountedNamespaces {
  readonly #registry: Registry;
  readonly #clock: Clock;
  readonly #jobs: JobCaches;
  readonly #counted = new Map<string, Counted>();

  constructor(registry: Registry, clock: Clock, jobs: JobCaches) {
    this.#registry = registry;
    this.#clock = clock;
    this.#jobs = jobs;
  }

  /** Keeps the series for at least another hour. Returns true if the kind had none. */
  begin(namespace: string, labels: KindLabels): boolean {
    const counted = this.#counted.get(namespace) ?? { kinds: new Map<string, KindLabels>(), emptySinceMs: undefined };
    this.#counted.set(namespace, counted);
    counted.emptySinceMs = undefined;
    if (counted.kinds.has(labels.kind)) return false;
    counted.kinds.set(labels.kind, labels);
    return true;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await sleep(this.#clock, CHECKED_EVERY_MS, signal);
      if (!signal.aborted) this.removeEmpty();
    }
  }

  removeEmpty(): void {
    const nowMs = this.#clock.monotonic();
    const withJobs = new Set(
      this.#jobs.flatMap((jobs) => jobs.list().map(({ metadata }) => metadata?.namespace ?? '')),
    );
    for (const [namespace, counted] of this.#counted) {
      counted.emptySinceMs = withJobs.has(namespace) ? undefined : (counted.emptySinceMs ?? nowMs);
      if (counted.emptySinceMs === undefined || nowMs - counted.emptySinceMs < NAMESPACE_SERIES_KEPT_MS) continue;
      this.#counted.delete(namespace);
      for (const labels of counted.kinds.values()) {
        for (const metric of NAMESPACED_SERIES)
          removeSeries(this.#registry, metric, { job_namespace: namespace, ...labels });
      }
    }
  }
}
