/** Health of the operator, and the cause if it is not healthy. */
import type { Dashboard, ValueMapping } from '@grafana/grafana-foundation-sdk/dashboard';
import { MappingType } from '@grafana/grafana-foundation-sdk/dashboard';
import { BUILD, ELECTION, PROCESS, RECORDING, REQUESTS, RUNTIME, SHADOW, WATCHES, WORK_QUEUE } from '@muster/metrics';
import { JOB_QUEUES } from '../job-queues.ts';
import { matching } from '../promql/matchers.ts';
import { average, increase, knownQuantile, rate, secondsSince, type Span, valueOf } from '../promql/metric-query.ts';
import { dashboardOf, type Row } from './dashboard.ts';
import { failingStat } from './failing-stat.ts';
import { bars, lines, stat, table, type PanelOf } from './panel.ts';
import type { Subject } from '../subject.ts';
import { clusterVariable, IN_CLUSTER, OF_OPERATOR, podVariable } from './variables.ts';

const SPAN = '$__rate_interval';
const RANGE = '$__range';

const OF_QUEUES = { ...OF_OPERATOR, ...JOB_QUEUES };

/** Responses that indicate a failing or overloaded API server. */
const TROUBLE = matching('5..|429|<error>');

export function operatorDashboard(subject: Subject): Dashboard {
  return dashboardOf(subject, {
    name: 'operator',
    title: 'operator',
    description: 'Health of the operator: leader, reconcile runs, work queue, API server, watches, process.',
    variables: [clusterVariable(subject), podVariable(subject)],
    rows: [
      { title: 'Health', panels: health(subject) },
      RECONCILING,
      { title: 'Work queue', panels: WORK },
      { title: 'API server', panels: API_SERVER },
      { title: 'Watches and caches', panels: CACHES },
      { title: 'Process', panels: PROCESSES },
      { title: 'Shadow mode and recording', panels: OPTIONAL },
    ],
  });
}

const OPTIONAL: PanelOf[] = [
  lines({
    title: 'Compared jobs by result',
    description:
      "Jobs of another operator whose work was compared with Muster's plan, by the result. unknown: a difference that is not documented; " +
      'muster shadow report names it. Empty unless the operator runs in shadow mode.',
    unit: 'short',
    width: 12,
    height: 5,
    queries: [{ vector: valueOf(SHADOW.jobs, OF_OPERATOR).sumBy('kind', 'result'), legend: '{{kind}} {{result}}' }],
  }),
  lines({
    title: 'Reconcile runs by whether they were recorded',
    description:
      'left_out: recording would take too much time, the disk is too slow, or values that are not recorded decide; muster history shows the gaps. ' +
      'failed: the file system reported an error, and the operator records no more until it restarts. Empty unless the operator records.',
    unit: 'reqps',
    width: 12,
    height: 5,
    queries: [{ vector: rate(RECORDING.runs, OF_OPERATOR, SPAN).sumBy('result'), legend: '{{result}}' }],
  }),
];

const LEADERS: ValueMapping[] = [
  {
    type: MappingType.ValueToText,
    options: {
      '0': { text: 'none', color: 'red', index: 0 },
      '1': { text: 'one', color: 'green', index: 1 },
    },
  },
  {
    type: MappingType.RangeToText,
    options: { from: 2, to: 1000, result: { text: 'several', color: 'red', index: 2 } },
  },
];

/** Without reconcile runs there is no series, instead of one without values in a legend. */
const ERROR_RATIO = rate(RUNTIME.errors, OF_OPERATOR, SPAN)
  .sumBy('controller')
  .per(rate(RUNTIME.reconciles, OF_OPERATOR, SPAN).sumBy('controller').above(0));

function health({ framework, jobsFramework }: Subject): PanelOf[] {
  const small = { width: 3, height: 4 };
  return [
    stat({
      ...small,
      title: 'Leader',
      description: 'One pod is the leader and reconciles; the others are on standby. Empty without leader election.',
      unit: 'short',
      queries: [
        {
          vector: valueOf(ELECTION.masterStatus, OF_OPERATOR).sumBy('namespace', 'name'),
          legend: '{{name}} {{namespace}}',
        },
      ],
      mappings: LEADERS,
    }),
    stat({
      ...small,
      width: 4,
      title: 'Pods by version',
      description: 'Scraped operator pods by version. Two versions are normal only during an upgrade.',
      unit: 'short',
      queries: [
        { vector: valueOf(BUILD.info, { ...OF_OPERATOR, framework }).countBy('version'), legend: '{{version}}' },
      ],
      none: 'none',
    }),
    stat({
      ...small,
      width: 4,
      title: 'Reconcile errors',
      description:
        'Share of reconcile runs that end with an error. They are retried with a growing delay. No runs: nothing is reconciled.',
      unit: 'percentunit',
      queries: [{ vector: ERROR_RATIO, legend: '{{controller}}' }],
      none: 'no runs',
      limits: { warn: 0.01, bad: 0.1 },
    }),
    ...defectsAndLoad(small, { framework: jobsFramework, ...IN_CLUSTER }),
    ...LEADING,
  ];
}

const LEADS = valueOf(ELECTION.leads, OF_OPERATOR);

/** By kind and namespace, because two releases can each hold a Lease of their own and reconcile the same jobs. */
const LEADING: PanelOf[] = [
  lines({
    title: 'Leaders by kind and namespace',
    description:
      'Pods that reconcile the jobs of a kind and namespace; * means all namespaces. 0: no job is started, restarted or ended. 2 or more: ' +
      "the pods may undo each other's changes.",
    unit: 'short',
    width: 12,
    height: 5,
    limits: { bad: 2 },
    queries: [{ vector: LEADS.sumBy('kind', 'watched_namespace'), legend: '{{kind}} in {{watched_namespace}}' }],
  }),
  table({
    title: 'Leading pods',
    description: 'The leader for each kind and namespace of jobs; * means all namespaces. Standby pods are not listed.',
    unit: 'short',
    width: 12,
    height: 5,
    vector: LEADS.sumBy('kind', 'watched_namespace', 'namespace', 'pod').above(0),
    columns: { kind: 'Kind', watched_namespace: 'Jobs in namespace', pod: 'Pod', namespace: 'Namespace of the pod' },
    none: 'no leader',
  }),
];

function defectsAndLoad(
  small: { readonly width: number; readonly height: number },
  jobs: Parameters<typeof failingStat>[0],
): PanelOf[] {
  return [
    stat({
      ...small,
      title: 'Defects',
      description:
        'Reconcile runs in the time range that failed with a defect of the operator. The log has the stack trace.',
      unit: 'short',
      queries: [{ vector: increase(RUNTIME.panics, OF_OPERATOR, RANGE).sumBy('controller'), legend: '{{controller}}' }],
      decimals: 0,
      limits: { bad: 1 },
    }),
    stat({
      ...small,
      title: 'Queue depth',
      description: 'Jobs that wait for a reconcile run. Above 0 is normal for seconds, but not for minutes.',
      unit: 'short',
      queries: [{ vector: valueOf(WORK_QUEUE.depth, OF_QUEUES).sumBy('controller'), legend: '{{controller}}' }],
      limits: { warn: 100, bad: 1000 },
    }),
    failingStat(jobs, small),
    stat({
      ...small,
      width: 4,
      title: 'Uptime',
      description: 'Time since the process started. If it stays short, the process is restarted repeatedly.',
      unit: 's',
      queries: [{ vector: secondsSince(PROCESS.startTime, OF_OPERATOR), legend: '{{pod}}' }],
    }),
  ];
}

const BY_CONTROLLER: { readonly span: Span; readonly by: readonly ['controller'] } = { span: SPAN, by: ['controller'] };

const RECONCILING: Row = {
  title: 'Reconciling',
  panels: [
    lines({
      title: 'Reconcile rate',
      description: 'Reconcile runs per second by result.',
      unit: 'ops',
      width: 8,
      stacked: true,
      queries: [
        {
          vector: rate(RUNTIME.reconciles, OF_OPERATOR, SPAN)
            .sumBy('controller', 'result')
            .and(increase(RUNTIME.reconciles, OF_OPERATOR, RANGE).sumBy('controller', 'result').above(0)),
          legend: '{{controller}} {{result}}',
        },
      ],
    }),
    lines({
      title: 'Reconcile error ratio',
      description: 'Share of reconcile runs that end with an error. The log has the error, with the name of the job.',
      unit: 'percentunit',
      width: 8,
      limits: { warn: 0.01, bad: 0.1 },
      queries: [{ vector: ERROR_RATIO, legend: '{{controller}}' }],
    }),
    lines({
      title: 'Reconcile duration',
      description:
        'Average, and p99 of at least 20 reconcile runs. Most of the time is spent waiting for the API server.',
      unit: 's',
      width: 8,
      limits: { warn: 5, bad: 30 },
      queries: [
        { vector: average(RUNTIME.time, OF_OPERATOR, BY_CONTROLLER), legend: '{{controller}} average' },
        { vector: knownQuantile(0.99, RUNTIME.time, OF_OPERATOR, BY_CONTROLLER), legend: '{{controller}} p99' },
      ],
    }),
  ],
};

const WORK: PanelOf[] = [
  lines({
    title: 'Queue depth over time',
    description:
      'Jobs that wait for a reconcile run. If it grows while jobs are reconciled, the operator is too slow for the changes.',
    unit: 'short',
    width: 6,
    queries: [{ vector: valueOf(WORK_QUEUE.depth, OF_QUEUES).sumBy('controller'), legend: '{{controller}}' }],
  }),
  lines({
    title: 'Queue wait time',
    description: 'Time that a job waits for its reconcile run: average, and p99 of at least 20 runs.',
    unit: 's',
    width: 6,
    limits: { warn: 10, bad: 60 },
    queries: [
      { vector: average(WORK_QUEUE.waited, OF_QUEUES, BY_CONTROLLER), legend: '{{controller}} average' },
      { vector: knownQuantile(0.99, WORK_QUEUE.waited, OF_QUEUES, BY_CONTROLLER), legend: '{{controller}} p99' },
    ],
  }),
  lines({
    title: 'Workers',
    description: 'Busy workers and their limit (operator.concurrency). If all are busy for a long time, raise it.',
    unit: 'short',
    width: 6,
    queries: [
      { vector: valueOf(RUNTIME.activeWorkers, OF_OPERATOR).sumBy('controller'), legend: '{{controller}} busy' },
      { vector: valueOf(RUNTIME.maxConcurrent, OF_OPERATOR).maxBy('controller'), legend: '{{controller}} limit' },
    ],
  }),
  lines({
    title: 'Longest running reconcile',
    description: 'Duration of the longest reconcile run in progress. A run of several minutes hangs.',
    unit: 's',
    width: 6,
    limits: { warn: 60, bad: 300 },
    queries: [{ vector: valueOf(WORK_QUEUE.longestRunning, OF_QUEUES).maxBy('controller'), legend: '{{controller}}' }],
  }),
];

const BY_VERB: { readonly span: Span; readonly by: readonly ['verb'] } = { span: SPAN, by: ['verb'] };

const API_SERVER: PanelOf[] = [
  lines({
    title: 'Request rate',
    description: 'Requests to the API server per second, by code. 409 is normal: another client wrote first.',
    unit: 'reqps',
    width: 8,
    stacked: true,
    queries: [
      {
        vector: rate(REQUESTS.total, OF_OPERATOR, SPAN)
          .sumBy('code')
          .and(increase(REQUESTS.total, OF_OPERATOR, RANGE).sumBy('code').above(0)),
        legend: '{{code}}',
      },
    ],
  }),
  lines({
    title: 'Request error ratio',
    description: 'Share of requests that end with 5xx, with 429 (too many requests) or without a response.',
    none: 'no failed requests',
    unit: 'percentunit',
    width: 8,
    limits: { warn: 0.01, bad: 0.05 },
    queries: [
      {
        vector: rate(REQUESTS.total, { ...OF_OPERATOR, code: TROUBLE }, SPAN)
          .sumBy()
          .per(rate(REQUESTS.total, OF_OPERATOR, SPAN).sumBy()),
        legend: 'failing',
      },
    ],
  }),
  lines({
    title: 'Request duration',
    description:
      'Time until the headers of the response: average, and p99 of at least 20 requests. Watches count until they start.',
    unit: 's',
    width: 8,
    limits: { warn: 1, bad: 5 },
    queries: [
      { vector: average(REQUESTS.duration, OF_OPERATOR, BY_VERB), legend: '{{verb}} average' },
      { vector: knownQuantile(0.99, REQUESTS.duration, OF_OPERATOR, BY_VERB), legend: '{{verb}} p99' },
    ],
  }),
];

const CACHES: PanelOf[] = [
  bars({
    title: 'Watch restarts in range',
    description:
      'Watch restarts in the time range by reason. A few are normal; many mean that the connection breaks, or that a cache is out of date.',
    unit: 'short',
    width: 12,
    decimals: 0,
    none: 'none',
    queries: [
      {
        vector: increase(WATCHES.restarts, OF_OPERATOR, RANGE).sumBy('resource', 'reason').above(0).sorted(),
        legend: '{{resource}} {{reason}}',
      },
    ],
  }),
  lines({
    title: 'Cached objects',
    description: 'Objects in the memory of one pod, by resource.',
    unit: 'short',
    width: 12,
    queries: [{ vector: valueOf(WATCHES.objects, OF_OPERATOR).maxBy('resource'), legend: '{{resource}}' }],
  }),
];

const PROCESSES: PanelOf[] = [
  lines({
    title: 'CPU',
    description: 'CPU cores in use. The operator uses at most about one core.',
    unit: 'short',
    width: 6,
    limits: { warn: 0.7, bad: 0.95 },
    queries: [{ vector: rate(PROCESS.cpu, OF_OPERATOR, SPAN).sumBy('pod'), legend: '{{pod}}' }],
  }),
  lines({
    title: 'Memory',
    description:
      'Memory that counts against the limit of the container (resident), and the part of it that is JavaScript heap (heap).',
    unit: 'bytes',
    width: 6,
    queries: [
      { vector: valueOf(PROCESS.residentMemory, OF_OPERATOR).maxBy('pod'), legend: '{{pod}} resident' },
      { vector: valueOf(PROCESS.heapSizeUsed, OF_OPERATOR).maxBy('pod'), legend: '{{pod}} heap' },
    ],
  }),
  lines({
    title: 'Event loop lag',
    description:
      'Time for which the event loop is blocked, p99. From half a second, the Lease and the probes are at risk.',
    unit: 's',
    width: 6,
    limits: { warn: 0.2, bad: 0.5 },
    queries: [{ vector: valueOf(PROCESS.eventLoopLagP99, OF_OPERATOR).maxBy('pod'), legend: '{{pod}}' }],
  }),
  table({
    title: 'Versions by pod',
    description: 'Version of each operator pod.',
    unit: 'short',
    width: 6,
    vector: valueOf(BUILD.info, OF_OPERATOR).countBy('namespace', 'pod', 'version'),
    columns: { version: 'Version', pod: 'Pod', namespace: 'Namespace' },
  }),
];
