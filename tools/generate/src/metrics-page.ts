/** Writes the reference of the metrics from their declarations. */
import { METRICS, type MetricDeclaration, type MetricGroup, type Unit } from '@muster/metrics';

const HEAD = `<!-- Generated from libs/metrics by "npm run generate": change the declarations, not this page. -->

# Metrics

Each operator serves its metrics in Prometheus' text format under \`/metrics\`, on the port of its probes (\`--port\`, 8080). The
charts have Prometheus find them: [install.md](install.md).

- **Who exports what.** Each process tells of itself: reconciling, requests, watches, memory. Of jobs the process that leads
  tells, so a sum over all processes counts each job once; and with \`--leader-elect=false\` the one that there is.
- **Counters** begin with 0 when a process is started, and count what has happened since: ask for \`rate()\` or \`increase()\`. None
  of them, and no histogram, carries the name of a job.
- **Namespaces without jobs.** An hour after the last job of a namespace is gone, the process removes the namespace's counters and histograms, whether
  the namespace still exists or not. A later job starts them at 0 again, which \`rate()\` and \`increase()\` take for a restart. No alert looks back
  further than that hour.
- **Gauges of jobs** are read from the operator's caches at the scrape, so they are exact also after a restart, and go with the job.
- **Each job by itself** takes about 17 series a job: of 10,000 jobs a scrape is 21 MB, and costs the operator somewhat less than
  a second of CPU time, in pieces that hold nothing else up. Where that is too much, \`--per-job-metrics=false\`
  (\`metrics.perJob: false\` in the charts) leaves those out, and \`kuberay_*\` with them.
- **Names.** \`training_operator_*\` are Kubeflow's ([what differs](differences/operator.md#metrics)), \`kuberay_*\` KubeRay's,
  \`controller_runtime_*\`, \`workqueue_*\`, \`rest_client_*\` and \`leader_election_*\` those of operators in Go, \`process_*\` and \`nodejs_*\`
  those of every Node process, \`muster_*\` Muster's own.
- A label \`namespace\`, which \`kuberay_*\` have, becomes \`exported_namespace\` unless the scrape honors labels (\`honorLabels\`).

Where a series is not there from the start, the last column says what has to happen first.`;

const UNITS: Readonly<Record<Unit, string>> = {
  seconds: 'seconds',
  timestamp: 'seconds since 1970',
  bytes: 'bytes',
  count: 'number',
  ratio: '0 to 1',
  boolean: '0 or 1',
  info: 'always 1',
};

/** The page in Markdown. */
export function metricsPage(): string {
  const values = new LabelValues();
  return `${[HEAD, ...METRICS.map((group) => groupPart(group, values))].join('\n\n')}\n`;
}

function groupPart({ title, about, metrics, framework }: MetricGroup, values: LabelValues): string {
  const all = Object.values(metrics);
  const whose = framework === undefined ? [] : [`Of the operator of \`${framework}\` alone.`];
  const table = [
    '| metric | type | labels | value | there is a series |',
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

/** Closed sets of values: each is listed once, and referred to where it comes again. */
class LabelValues {
  readonly #firsts = new Map<object, string>();

  partsOf({ name, values = {} }: MetricDeclaration): string[] {
    return Object.entries(values).map(([label, meanings]) => {
      const first = this.#firsts.get(meanings);
      if (first !== undefined) return `\`${label}\` of \`${name}\`: as of \`${first}\`.`;
      this.#firsts.set(meanings, name);
      const list = Object.entries(meanings).map(([value, meaning]) => `- \`${value}\`: ${meaning}`);
      return `\`${label}\` of \`${name}\` is one of:\n\n${list.join('\n')}`;
    });
  }
}
