/**
 * What is exported of jobs.
 *
 * The counters have the names that Kubeflow's operator exports and dashboards know (kubeflow/training-operator,
 * pkg/common/metrics.go); each goes up once for each transition that was written. The gauges are read from the caches
 * when they are asked for, so they are exact at any time, also after the operator was killed.
 */
import type { JobStatus, KubeObject } from '@muster/job-api';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { JobGauge } from '../contract/facets.ts';
import type { JobManifest } from '../model/training-job.ts';
import type { JobCounter, StartLatency } from '../reconcile/plan.ts';

const COUNTER_HELP: Record<JobCounter, string> = {
  created: 'Jobs that the operator has taken up.',
  deleted: 'Jobs that were deleted because their time to live was over.',
  successful: 'Jobs that have succeeded.',
  failed: 'Jobs that have failed.',
  restarted: 'Replicas that were restarted.',
};

const LABEL_NAMES = ['job_namespace', 'framework'] as const;

/** A tenth of a second to almost two hours. */
const START_BUCKETS = Array.from({ length: 17 }, (_each, power) => 0.1 * 2 ** power);

/** The state of a job that has no status yet. */
const NEW = 'New';

interface GaugeSources {
  jobs(): readonly (KubeObject & { status?: Pick<JobStatus, 'state'> })[];
  pods(): readonly (KubeObject & { status?: { phase?: string } })[];
}

export class JobMetrics {
  #counters: Map<JobCounter, Counter<(typeof LABEL_NAMES)[number]>>;
  #startLatency: Histogram<(typeof LABEL_NAMES)[number] | 'stage'>;
  #framework: string;

  constructor(registry: Registry, framework: string) {
    this.#framework = framework;
    const registers = [registry];
    this.#counters = new Map(
      (Object.keys(COUNTER_HELP) as JobCounter[]).map((name) => [
        name,
        new Counter({
          name: `training_operator_jobs_${name}_total`,
          help: COUNTER_HELP[name],
          labelNames: LABEL_NAMES,
          registers,
        }),
      ]),
    );
    this.#startLatency = new Histogram({
      name: 'muster_job_start_latency_seconds',
      help: "From a job's start until all of its pods were created, and until all of its replicas ran.",
      labelNames: [...LABEL_NAMES, 'stage'],
      buckets: START_BUCKETS,
      registers,
    });
  }

  count(namespace: string, names: readonly JobCounter[]): void {
    for (const name of names) this.#counters.get(name)?.inc({ job_namespace: namespace, framework: this.#framework });
  }

  observe(namespace: string, latencies: readonly StartLatency[]): void {
    for (const { stage, seconds } of latencies) {
      this.#startLatency.observe({ job_namespace: namespace, framework: this.#framework, stage }, seconds);
    }
  }
}

/** Gauges of how many jobs and pods there are in each state, by namespace. */
export function exportJobGauges(registry: Registry, framework: string, sources: GaugeSources): void {
  const gauge = (name: string, help: string, label: 'state' | 'phase', count: () => Map<string, Map<string, number>>) =>
    new Gauge({
      name,
      help,
      labelNames: [...LABEL_NAMES, label],
      registers: [registry],
      collect() {
        this.reset();
        for (const [namespace, states] of count()) {
          for (const [state, number] of states) {
            this.set({ job_namespace: namespace, framework, [label]: state }, number);
          }
        }
      },
    });
  gauge('muster_jobs', 'Jobs by state, as their status says it.', 'state', () =>
    tally(sources.jobs(), ({ status }) => status?.state ?? NEW),
  );
  gauge('muster_job_pods', 'Pods of jobs by phase.', 'phase', () =>
    tally(sources.pods(), ({ status }) => status?.phase ?? 'Pending'),
  );
}

/** The gauges that a kind has of its own. */
export function exportGauges(
  registry: Registry,
  gauges: readonly JobGauge[],
  jobs: () => readonly JobManifest[],
): void {
  for (const gauge of gauges) {
    const { name, help, labelNames } = gauge;
    new Gauge({
      ...{ name, help, labelNames: [...labelNames], registers: [registry] },
      collect() {
        this.reset();
        for (const { labels, value } of jobs().flatMap((job) => gauge.samples(job))) this.set({ ...labels }, value);
      },
    });
  }
}

function tally<T extends KubeObject>(objects: readonly T[], stateOf: (object: T) => string) {
  const namespaces = new Map<string, Map<string, number>>();
  for (const object of objects) {
    const namespace = object.metadata?.namespace ?? '';
    const states = namespaces.get(namespace) ?? new Map<string, number>();
    states.set(stateOf(object), (states.get(stateOf(object)) ?? 0) + 1);
    namespaces.set(namespace, states);
  }
  return namespaces;
}
