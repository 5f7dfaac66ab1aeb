/** Is the operator well, and if not: what is it that fails? */
import type { Dashboard, ValueMapping } from '@grafana/grafana-foundation-sdk/dashboard';
import { MappingType } from '@grafana/grafana-foundation-sdk/dashboard';
import { BUILD, ELECTION, PROCESS, REQUESTS, RUNTIME, WATCHES, WORK_QUEUE } from '@muster/metrics';
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

/** Answers that say something is wrong with the API server, or with its load. */
const TROUBLE = matching('5..|429|<error>');

export function operatorDashboard(subject: Subject): Dashboard {
  return dashboardOf(subject, {
    name: 'operator',
    title: 'operator',
    description: 'Whether the operator is well: what it does, what it waits for, what fails, what it takes.',
    variables: [clusterVariable(subject), podVariable(subject)],
    rows: [
      { title: 'Is it well?', panels: wellness(subject) },
      RECONCILING,
      { title: 'Work queue', panels: WORK },
      { title: 'API server', panels: API_SERVER },
      { title: 'Watches and caches', panels: CACHES },
      { title: 'Process', panels: PROCESSES },
    ],
  });
}

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

const ERROR_RATIO = rate(RUNTIME.errors, OF_OPERATOR, SPAN)
  .sumBy('controller')
  .per(rate(RUNTIME.reconciles, OF_OPERATOR, SPAN).sumBy('controller'));

function wellness({ framework, jobsFramework }: Subject): PanelOf[] {
  const small = { width: 3, height: 4 };
  return [
    stat({
      ...small,
      title: 'Leader',
      description: 'One process leads and acts; the others stand by. Without leader election there is nothing here.',
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
      title: 'Processes',
      description: 'Operators that were scraped, by version. Two versions are there only during an upgrade.',
      unit: 'short',
      queries: [
        { vector: valueOf(BUILD.info, { ...OF_OPERATOR, framework }).countBy('version'), legend: '{{version}}' },
      ],
      none: 'none',
    }),
    stat({
      ...small,
      width: 4,
      title: 'Reconciles that fail',
      description:
        'Share of passes over a job that end with an error. They are tried again with a growing pause. Empty while there are no passes.',
      unit: 'percentunit',
      queries: [{ vector: ERROR_RATIO, legend: '{{controller}}' }],
      limits: { warn: 0.01, bad: 0.1 },
    }),
    ...defectsAndLoad(small, { framework: jobsFramework, ...IN_CLUSTER }),
    ...LEADING,
  ];
}

const LEADS = valueOf(ELECTION.leads, OF_OPERATOR);

/** By kind and namespace, with or without leader election: two releases can each lead by a Lease of their own and run the same jobs. */
const LEADING: PanelOf[] = [
  lines({
    title: 'Processes that run the jobs',
    description:
      'By kind and namespace; * is every namespace. 0: no process starts, restarts or ends these jobs. 2 or more: several processes do, and may undo ' +
      'what the other does.',
    unit: 'short',
    width: 12,
    height: 5,
    limits: { bad: 2 },
    queries: [{ vector: LEADS.sumBy('kind', 'watched_namespace'), legend: '{{kind}} in {{watched_namespace}}' }],
  }),
  table({
    title: 'Which process runs which jobs',
    description:
      'The pod that leads, for each kind and namespace of jobs; * is every namespace. Pods that stand by are not listed.',
    unit: 'short',
    width: 12,
    height: 5,
    vector: LEADS.sumBy('kind', 'watched_namespace', 'namespace', 'pod').above(0),
    columns: { kind: 'Kind', watched_namespace: 'Jobs in namespace', pod: 'Pod', namespace: 'Namespace of the pod' },
    none: 'no process',
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
      description: 'Passes in the time range that met a defect of the operator: look for the stack trace in its log.',
      unit: 'short',
      queries: [{ vector: increase(RUNTIME.panics, OF_OPERATOR, RANGE).sumBy('controller'), legend: '{{controller}}' }],
      decimals: 0,
      limits: { bad: 1 },
    }),
    stat({
      ...small,
      title: 'In the queue',
      description: 'Jobs that wait for a pass. Above zero for a moment is normal; for minutes it is not.',
      unit: 'short',
      queries: [{ vector: valueOf(WORK_QUEUE.depth, OF_QUEUES).sumBy('controller'), legend: '{{controller}}' }],
      limits: { warn: 100, bad: 1000 },
    }),
    failingStat(jobs, { ...small, width: 4 }),
    stat({
      ...small,
      width: 4,
      title: 'Running since',
      description:
        'How long ago the process was started. A short time that is never long is a process that ends again and again.',
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
      title: 'Reconciles',
      description: 'Passes over jobs per second, by how they ended.',
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
      title: 'Share of passes that fail',
      description: 'Share of passes that end with an error. The log has the error, with the name of the job.',
      unit: 'percentunit',
      width: 8,
      limits: { warn: 0.01, bad: 0.1 },
      queries: [{ vector: ERROR_RATIO, legend: '{{controller}}' }],
    }),
    lines({
      title: 'How long a pass takes',
      description:
        'The average, and of 20 passes or more p99: all but one of a hundred are shorter. Mostly it is waiting for the API server.',
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
    title: 'Jobs in the queue',
    description:
      'Jobs that wait for a pass. If it grows while passes go on, the operator is too slow for what changes.',
    unit: 'short',
    width: 6,
    queries: [{ vector: valueOf(WORK_QUEUE.depth, OF_QUEUES).sumBy('controller'), legend: '{{controller}}' }],
  }),
  lines({
    title: 'Wait in the queue',
    description: 'How long a job waits for its pass: the average, and of 20 passes or more p99.',
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
    description:
      'Workers that are busy, and how many there are (operator.concurrency). All of them busy for long: raise it.',
    unit: 'short',
    width: 6,
    queries: [
      { vector: valueOf(RUNTIME.activeWorkers, OF_OPERATOR).sumBy('controller'), legend: '{{controller}} busy' },
      { vector: valueOf(RUNTIME.maxConcurrent, OF_OPERATOR).maxBy('controller'), legend: '{{controller}} at most' },
    ],
  }),
  lines({
    title: 'Longest pass under way',
    description: 'A pass that has been running for minutes hangs.',
    unit: 's',
    width: 6,
    limits: { warn: 60, bad: 300 },
    queries: [{ vector: valueOf(WORK_QUEUE.longestRunning, OF_QUEUES).maxBy('controller'), legend: '{{controller}}' }],
  }),
];

const BY_VERB: { readonly span: Span; readonly by: readonly ['verb'] } = { span: SPAN, by: ['verb'] };

const API_SERVER: PanelOf[] = [
  lines({
    title: 'Requests',
    description: 'Requests to the API server per second, by code. 409 is normal: somebody else wrote first.',
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
    title: 'Requests that fail',
    description: 'Share of requests with an answer of 5xx or 429 (too many), or without any answer.',
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
    title: 'How long requests take',
    description:
      'Until the head of the answer: the average, and of 20 requests or more p99. Watches count with the time until they begin.',
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
    title: 'Watches restarted',
    description:
      'Within the time range, by reason. Now and then is normal; often means that the connection breaks, or that a cache is out of date.',
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
    title: 'Objects in the caches',
    description: 'What the operator keeps in memory, by resource, of one process.',
    unit: 'short',
    width: 12,
    queries: [{ vector: valueOf(WATCHES.objects, OF_OPERATOR).maxBy('resource'), legend: '{{resource}}' }],
  }),
];

const PROCESSES: PanelOf[] = [
  lines({
    title: 'CPU',
    description: 'Cores in use. The operator works on one core; near 1 it is at its limit.',
    unit: 'short',
    width: 6,
    limits: { warn: 0.7, bad: 0.95 },
    queries: [{ vector: rate(PROCESS.cpu, OF_OPERATOR, SPAN).sumBy('pod'), legend: '{{pod}}' }],
  }),
  lines({
    title: 'Memory',
    description: 'What counts against the limit of the container (resident), and what of it are objects (heap).',
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
      'For how long the process did nothing else, p99. From half a second on its Lease and its probes are at risk.',
    unit: 's',
    width: 6,
    limits: { warn: 0.2, bad: 0.5 },
    queries: [{ vector: valueOf(PROCESS.eventLoopLagP99, OF_OPERATOR).maxBy('pod'), legend: '{{pod}}' }],
  }),
  table({
    title: 'Builds',
    description: 'Which version runs where.',
    unit: 'short',
    width: 6,
    vector: valueOf(BUILD.info, OF_OPERATOR).countBy('namespace', 'pod', 'version'),
    columns: { version: 'Version', pod: 'Pod', namespace: 'Namespace' },
  }),
];
