/** Generates the reference of the metrics from their declarations. */
import { METRICS, type MetricDeclaration, type MetricGroup, type Unit } from '@muster/metrics';

const HEAD = `<!-- Generated from libs/metrics by "npm run generate": change the declarations, not this page. -->

# Metrics

Each operator serves its metrics in Prometheus' text format under \`/metrics\`, on the port of its probes (\`--port\`, 8080). The
charts configure Prometheus to scrape them: [install.md](install.md).

- **Which process exports what.** Each process exports metrics of itself: reconciling, requests, watches, memory. Only the leader exports
  metrics of jobs (with \`--leader-elect=false\`, the only process does), so a sum over all processes counts each job once.
- **Counters** start at 0 with the process: use \`rate()\` or \`increase()\`. No counter and no histogram has the name of a job as a label.
- **Namespaces without jobs.** An hour after the last job of a namespace is gone, the process removes the namespace's counters and histograms, whether
  the namespace still exists or not. A later job starts them at 0 again, which \`rate()\` and \`increase()\` treat as a restart. No alert looks back
  further than that hour.
- **Gauges of jobs** are read from the operator's caches at each scrape. They are exact after a restart, and disappear with the job.
- **Metrics per job** are about 17 series for each job. With 10,000 jobs, a scrape is 21 MB and costs the operator almost a second of CPU time, in
  pieces that do not block other work. \`--per-job-metrics=false\` (\`metrics.perJob: false\` in the charts) turns them off, and \`kuberay_*\` with
  them.
- **Names.** \`training_operator_*\` are Kubeflow's ([what differs](differences/operator.md#metrics)), \`kuberay_*\` KubeRay's,
  \`controller_runtime_*\`, \`workqueue_*\`, \`rest_client_*\` and \`leader_election_*\` those of operators in Go, \`process_*\` and \`nodejs_*\`
  those of every Node process, \`muster_*\` Muster's own.
- The label \`namespace\` of \`kuberay_*\` becomes \`exported_namespace\` unless the scrape honors labels (\`honorLabels\`).

The last column says when a series first appears.`;

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
  const whose = framework === undefined ? [] : [`Only in the operator of \`${framework}\`.`];
  const table = [
    '| metric | type | labels | value | appears |',
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

/** Closed sets of values: each is listed once, and later metrics refer to it. */
class LabelValues {
  readonly #firsts = new Map<object, string>();

  partsOf({ name, values = {} }: MetricDeclaration): string[] {
    return Object.entries(values).map(([label, meanings]) => {
      const first = this.#firsts.get(meanings);
      if (first !== undefined) return `\`${label}\` of \`${name}\`: see \`${first}\`.`;
      this.#firsts.set(meanings, name);
      const list = Object.entries(meanings).map(([value, meaning]) => `- \`${value}\`: ${meaning}`);
      return `\`${label}\` of \`${name}\` is one of:\n\n${list.join('\n')}`;
    });
  }
}
