/**
 * The namespaces that counters and histograms have series of. Namespaces come and go, and no process may export every namespace that it has ever
 * seen: when a namespace has had no job for an hour, its series are removed. A later job starts them again at 0, which `rate` and `increase` read as a
 * restart of the process. No window of an alert is longer than that hour, so no increase is lost.
 */
import { sleep, type Clock } from '@muster/controller';
import type { KubeObject } from '@muster/job-api';
import { NAMESPACE_SERIES_KEPT_MS, NAMESPACED_SERIES, removeSeries } from '@muster/metrics';
import type { Cache } from '@muster/kube';
import type { Registry } from 'prom-client';

const CHECKED_EVERY_MS = 5 * 60_000;

/** The labels that a kind of jobs has in common. */
export interface KindLabels {
  readonly framework: string;
  readonly kind: string;
}

interface Counted {
  readonly kinds: Map<string, KindLabels>;
  /** When it was first found without a job. */
  emptySinceMs: number | undefined;
}

/** The job caches of every kind of the operator: counters without the label `kind` are shared by all kinds. */
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

  /** Keeps the series of the namespace for at least an hour more. Returns whether the kind has had no series of it. */
  begin(namespace: string, labels: KindLabels): boolean {
    const counted = this.#counted.get(namespace) ?? { kinds: new Map<string, KindLabels>(), emptySinceMs: undefined };
    this.#counted.set(namespace, counted);
    counted.emptySinceMs = undefined;
    if (counted.kinds.has(labels.kind)) return false;
    counted.kinds.set(labels.kind, labels);
    return true;
  }

  /** Removes what is due until `signal` is aborted. */
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
      this.#remove(namespace, [...counted.kinds.values()]);
    }
  }

  #remove(namespace: string, kinds: readonly KindLabels[]): void {
    for (const { framework, kind } of kinds) {
      for (const metric of NAMESPACED_SERIES)
        removeSeries(this.#registry, metric, { job_namespace: namespace, framework, kind });
    }
  }
}
