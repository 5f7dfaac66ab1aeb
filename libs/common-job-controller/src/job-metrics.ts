/**
 * The job counters, under the names that Kubeflow's operator exports and dashboards know
 * (kubeflow/training-operator, pkg/common/metrics.go). Each goes up once for each transition that was written.
 */
import { Counter, type Registry } from 'prom-client';
import type { JobCounter } from './plan.ts';

const HELP: Record<JobCounter, string> = {
  created: 'Jobs that the operator has taken up.',
  deleted: 'Jobs that were deleted because their time to live was over.',
  successful: 'Jobs that have succeeded.',
  failed: 'Jobs that have failed.',
  restarted: 'Replicas that were restarted.',
};

export class JobMetrics {
  #counters: Map<JobCounter, Counter<'job_namespace' | 'framework'>>;
  #framework: string;

  constructor(registry: Registry, framework: string) {
    this.#framework = framework;
    this.#counters = new Map(
      (Object.keys(HELP) as JobCounter[]).map((name) => [
        name,
        new Counter({
          name: `training_operator_jobs_${name}_total`,
          help: HELP[name],
          labelNames: ['job_namespace', 'framework'],
          registers: [registry],
        }),
      ]),
    );
  }

  count(namespace: string, names: readonly JobCounter[]): void {
    for (const name of names) this.#counters.get(name)?.inc({ job_namespace: namespace, framework: this.#framework });
  }
}
