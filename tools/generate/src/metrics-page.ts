/** Generates the reference of the metrics from their declarations. */
import { METRICS, type MetricDeclaration, type MetricGroup, type Unit } from '@muster/metrics';

const HEAD = `<!-- Generated from libs/metrics by "npm run generate": change the declarations, not this page. -->

# Metrics

Each operator serves its metrics in Prometheus' text format under \`/metrics\`, on the port of its probes (\`--port\`, 8080). The
charts configure Prometheus to scrape them: [install.md](install.md).

- **Exporting process.** Each process exports metrics of itself: reconcile runs, requests, watches, memory. Only the leader exports metrics of
  jobs, so a sum over all processes counts each job once. With \`--leader-elect=false\` the only process exports them.
- **Counters** start at 0 when a process starts: use \`rate()\` or \`increase()\`. No counter or histogram has the name of a job as a label.
- **Namespaces without jobs.** An hour after the last job of a namespace is deleted, the process removes the namespace's counters and histograms,
  also if the namespace still exists. A later job starts them at 0 again, which \`rate()\` and \`increase()\` treat as a restart. No alert looks
  back further than that hour.
- **Gauges of jobs** are computed from the operator's caches at the scrape. They are exact after a restart, too, and are removed with the job.
- **Series of single jobs** are about 17 per job: a scrape of 10,000 jobs is 21 MB, and takes the operator slightly less than a second of CPU
  time, without blocking its event loop. To leave them out, together with \`kuberay_*\`, set \`--per-job-metrics=false\`
  (\`metrics.perJob: false\` in the charts).
- **Names.** \`training_operator_*\` are Kubeflow's ([differences](differences/operator.md#metrics)), \`kuberay_*\` KubeRay's,
  \`controller_runtime_*\`, \`workqueue_*\`, \`rest_client_*\` and \`leader_election_*\` those of operators in Go, \`process_*\` and \`nodejs_*\`
  those of every Node.js process, \`muster_*\` Muster's own.
- The label \`namespace\` of \`kuberay_*\` becomes \`exported_namespace\` unless the scrape honors labels (\`honorLabels\`).

The last column is the condition for the first series of a metric.`;

const UNITS: Readonly<Record<Unit, string>> = {
  seconds: 'seconds',
  timestamp: 'Unix time in seconds',
  bytes: 'bytes',
  count: 'number',
  ratio: '0 to 1',
  boolean: '0 or 1',
  info: 'always 1',
};

export function metricsPage(): string {
  const values = new LabelValues();
  return `${[HEAD, ...METRICS.map((group) => groupPart(group, values))].join('\n\n')}\n`;
}

function groupPart({ title, about, metrics, framework }: MetricGroup, values: LabelValues): string {
  const all = Object.values(metrics);
  const whose = framework === undefined ? [] : [`Only in the operator for \`${framework}\`.`];
  const table = [
    '| metric | type | labels | value | series exists |',
    '| --- | --- | --- | --- | --- |',
    ...all.map(row),
  ].join('\n');
  return [`## ${title}`, [about, ...whose].join(' '), table, ...all.flatMap((metric) => values.partsOf(metric))].join(
    '\n\n',
  );
}

function row({ name, type, labels, help, unit, appears = 'From the start.' }: MetricDeclaration): string {
  const named = labels.map((label) => `\`${label}\``).join(', ');
  return `| \`${name}\` | ${type} | ${named} | ${cell(help)} (${UNITS[unit]}) | ${cell(appears)} |`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}

/** Closed sets of values. Each is listed once, and then referred to. */
class LabelValues {
  readonly #firsts = new Map<object, string>();

  partsOf({ name, values = {} }: MetricDeclaration): string[] {
    return Object.entries(values).map(([label, meanings]) => {
      const first = this.#firsts.get(meanings);
      if (first !== undefined) return `\`${label}\` of \`${name}\`: the values of \`${first}\`.`;
      this.#firsts.set(meanings, name);
      const list = Object.entries(meanings).map(([value, meaning]) => `- \`${value}\`: ${meaning}`);
      return `\`${label}\` of \`${name}\` is one of:\n\n${list.join('\n')}`;
    });
  }
}
