/** Each transition is counted once, after its status write. No label has the name of a job. */
import { FAILURE_CLASSES } from '@muster/job-api';
import { JOBS, RESTART_CAUSES, counter, histogram, type CounterOf, type HistogramOf } from '@muster/metrics';
import type { Registry } from 'prom-client';
import type { JobCounter, StatusCounts } from '../model/status-write.ts';
import type { CountedNamespaces, KindLabels } from './counted-namespaces.ts';

type Transition = Pick<StatusCounts, 'counters'> & Partial<StatusCounts>;

export class JobMetrics {
  readonly #labels: KindLabels;
  readonly #namespaces: CountedNamespaces;
  readonly #counters: Readonly<Record<JobCounter, CounterOf<(typeof JOBS)[JobCounter]>>>;
  readonly #restarts: CounterOf<typeof JOBS.restarts>;
  readonly #failures: CounterOf<typeof JOBS.failures>;
  readonly #startLatency: HistogramOf<typeof JOBS.startLatency>;

  constructor(registry: Registry, labels: KindLabels, namespaces: CountedNamespaces) {
    this.#labels = labels;
    this.#namespaces = namespaces;
    this.#counters = {
      created: counter(registry, JOBS.created),
      deleted: counter(registry, JOBS.deleted),
      successful: counter(registry, JOBS.successful),
      failed: counter(registry, JOBS.failed),
      restarted: counter(registry, JOBS.restarted),
    };
    this.#restarts = counter(registry, JOBS.restarts);
    this.#failures = counter(registry, JOBS.failures);
    this.#startLatency = histogram(registry, JOBS.startLatency);
  }

  /** Creates the counters of the namespace at 0, so that a rate includes the first event. */
  begin(namespace: string): void {
    if (!this.#namespaces.begin(namespace, this.#labels)) return;
    const { where, ofKind } = this.#labelsIn(namespace);
    for (const each of Object.values(this.#counters)) each.inc(where, 0);
    for (const cause of Object.keys(RESTART_CAUSES)) this.#restarts.inc({ ...ofKind, cause }, 0);
    for (const each of FAILURE_CLASSES) this.#failures.inc({ ...ofKind, class: each }, 0);
  }

  count(namespace: string, { counters, restartCauses = [], latencies = [], failures = [] }: Transition): void {
    this.begin(namespace);
    const { where, ofKind } = this.#labelsIn(namespace);
    for (const name of counters) this.#counters[name].inc(where);
    for (const cause of restartCauses) this.#restarts.inc({ ...ofKind, cause });
    for (const each of failures) this.#failures.inc({ ...ofKind, class: each });
    for (const { stage, seconds } of latencies) this.#startLatency.observe({ ...ofKind, stage }, seconds);
  }

  #labelsIn(namespace: string) {
    const where = { job_namespace: namespace, framework: this.#labels.framework };
    return { where, ofKind: { ...where, kind: this.#labels.kind } };
  }
}
