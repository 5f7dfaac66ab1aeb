/** How are the jobs of a framework: what runs, what waits and for what, what fails, how long a start takes. */
import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';
import { JOBS, PER_JOB } from '@muster/metrics';
import { ELASTIC_ROLES } from '../elastic-roles.ts';
import { matching } from '../promql/matchers.ts';
import { bucketRate, increase, quantile, rate, valueOf } from '../promql/metric-query.ts';
import { PHASE_COLOURS, STATE_COLOURS, WAITING_COLOURS } from './colours.ts';
import { dashboardOf, dashboardUid } from './dashboard.ts';
import { bars, heatmap, lines, stat, table, type PanelOf } from './panel.ts';
import { rayPanels } from './ray-panels.ts';
import type { Subject } from '../subject.ts';
import { clusterVariable, namespacesVariable, ofJobs } from './variables.ts';

const SPAN = '$__rate_interval';
const RANGE = '$__range';
const AN_HOUR = 3600;

export function jobsDashboard(subject: Subject): Dashboard {
  return dashboardOf(subject, {
    name: 'jobs',
    title: 'jobs',
    description: `How the jobs of ${subject.title} are: what runs, what waits and for what, what fails, how long a start takes.`,
    variables: [clusterVariable(subject), namespacesVariable(subject)],
    rows: [
      { title: 'Now', panels: now(subject) },
      { title: 'Jobs and pods', panels: jobsAndPods(subject) },
      { title: 'What waits', panels: waiting(subject) },
      { title: 'Starts, ends and restarts', panels: [...startsAndEnds(subject), ...failuresAndRestarts(subject)] },
      ...(subject.isElastic ? [{ title: 'Elastic jobs', panels: elastic(subject) }] : []),
      ...(subject.framework === 'ray' ? [{ title: 'Ray', panels: rayPanels() }] : []),
    ],
  });
}

function now(subject: Subject): PanelOf[] {
  const jobs = ofJobs(subject);
  const small = { unit: 'short', width: 4, height: 4, none: '0' };
  return [
    stat({
      ...small,
      title: 'Running',
      description: 'Jobs whose state is Running.',
      queries: [{ vector: valueOf(JOBS.jobs, { ...jobs, state: 'Running' }).sumBy(), legend: 'Running' }],
    }),
    stat({
      ...small,
      title: 'Waiting',
      description:
        'Jobs that do not run with all of their replicas, and are not suspended. Below stands what they wait for.',
      queries: [
        {
          vector: valueOf(JOBS.waiting, { ...jobs, reason: { operator: '!=', value: 'Suspended' } }).sumBy(),
          legend: 'Waiting',
        },
      ],
    }),
    stat({
      ...small,
      title: 'Suspended',
      description: 'Jobs that are stopped, by their users or by a queue.',
      queries: [{ vector: valueOf(JOBS.jobs, { ...jobs, state: 'Suspended' }).sumBy(), legend: 'Suspended' }],
    }),
    stat({
      ...small,
      title: 'Succeeded',
      description: 'Jobs that have succeeded within the time range.',
      decimals: 0,
      queries: [{ vector: increase(JOBS.successful, jobs, RANGE).sumBy(), legend: 'Succeeded' }],
    }),
    stat({
      ...small,
      title: 'Failed',
      description: 'Jobs that have failed within the time range.',
      decimals: 0,
      queries: [{ vector: increase(JOBS.failed, jobs, RANGE).sumBy(), legend: 'Failed' }],
      limits: { bad: 1 },
    }),
    stat({
      ...small,
      title: 'Restarts',
      description: 'Restarts of replicas within the time range; what is restarted together counts once.',
      decimals: 0,
      queries: [{ vector: increase(JOBS.restarts, jobs, RANGE).sumBy(), legend: 'Restarts' }],
      limits: { warn: 1, bad: 100 },
    }),
  ];
}

function jobsAndPods(subject: Subject): PanelOf[] {
  const jobs = ofJobs(subject);
  const several = subject.kinds.length > 1;
  return [
    lines({
      title: 'Jobs by state',
      description: 'As their status says it. What has ended stays until it is deleted.',
      unit: 'short',
      width: 8,
      stacked: true,
      colours: several ? {} : STATE_COLOURS,
      queries: [
        several
          ? { vector: valueOf(JOBS.jobs, jobs).sumBy('kind', 'state'), legend: '{{kind}} {{state}}' }
          : { vector: valueOf(JOBS.jobs, jobs).sumBy('state'), legend: '{{state}}' },
      ],
    }),
    lines({
      title: 'Pods by phase',
      description: 'Pods of these jobs. Many that are Pending: look at what waits.',
      unit: 'short',
      width: 8,
      stacked: true,
      colours: PHASE_COLOURS,
      queries: [{ vector: valueOf(JOBS.pods, jobs).sumBy('phase'), legend: '{{phase}}' }],
    }),
    bars({
      title: 'Running jobs by namespace',
      description: 'Who uses the cluster now.',
      unit: 'short',
      width: 8,
      queries: [
        {
          vector: valueOf(JOBS.jobs, { ...jobs, state: 'Running' }).sumBy('job_namespace'),
          legend: '{{job_namespace}}',
        },
      ],
    }),
  ];
}

function waiting(subject: Subject): PanelOf[] {
  const jobs = ofJobs(subject);
  return [
    lines({
      title: 'Waiting jobs by reason',
      description: 'The first thing that is in the way of each job. Starting is no trouble, unless it lasts.',
      unit: 'short',
      width: 10,
      stacked: true,
      colours: WAITING_COLOURS,
      queries: [{ vector: valueOf(JOBS.waiting, jobs).sumBy('reason'), legend: '{{reason}}' }],
    }),
    table({
      title: 'Jobs that wait now',
      description:
        'Each with its reason, the job as a link. Empty where the series of single jobs are off (metrics.perJob).',
      unit: 'short',
      width: 14,
      vector: valueOf(PER_JOB.waiting, jobs).is(1).maxBy('job_namespace', 'kind', 'job_name', 'reason'),
      columns: { job_namespace: 'Namespace', kind: 'Kind', job_name: 'Job', reason: 'Waits for' },
      link: {
        column: 'Job',
        title: 'This job',
        url: `/d/${dashboardUid(subject.framework, 'job')}?\${datasource:queryparam}&\${cluster:queryparam}&var-namespace=\${__data.fields.Namespace}&var-kind=\${__data.fields.Kind}&var-job=\${__value.text}`,
      },
    }),
  ];
}

function startsAndEnds(subject: Subject): PanelOf[] {
  const jobs = ofJobs(subject);
  const running = { ...jobs, stage: 'running' } as const;
  return [
    lines({
      title: 'How long a start takes',
      description: 'From the start of a job until all of its pods are made, and until all replicas run: p50 and p95.',
      unit: 's',
      width: 8,
      queries: [0.5, 0.95].map((share) => ({
        vector: quantile(share, JOBS.startLatency, jobs, { span: SPAN, by: ['stage'] }),
        legend: `{{stage}} p${share * 100}`,
      })),
    }),
    heatmap({
      title: 'Starts until all replicas run',
      description:
        'How many starts took how long. Two bands are two kinds of starts: images that are there, and images that are pulled.',
      unit: 's',
      width: 8,
      queries: [{ vector: bucketRate(JOBS.startLatency, running, SPAN).sumBy('le'), legend: '{{le}}' }],
    }),
    lines({
      title: 'Jobs that begin and end, per hour',
      description: 'More created than ended for long: the cluster is too small for what is asked of it.',
      unit: 'short',
      width: 8,
      colours: { created: 'blue', succeeded: 'green', failed: 'red' },
      queries: [
        { vector: rate(JOBS.created, jobs, SPAN).sumBy().times(AN_HOUR), legend: 'created' },
        { vector: rate(JOBS.successful, jobs, SPAN).sumBy().times(AN_HOUR), legend: 'succeeded' },
        { vector: rate(JOBS.failed, jobs, SPAN).sumBy().times(AN_HOUR), legend: 'failed' },
      ],
    }),
  ];
}

function failuresAndRestarts(subject: Subject): PanelOf[] {
  const jobs = ofJobs(subject);
  return [
    lines({
      title: 'First failures by class, per hour',
      description:
        'What failed first, whatever fell with it. Program and OutOfMemory are for who wrote the job, the others for who runs the cluster.',
      unit: 'short',
      width: 8,
      stacked: true,
      queries: [{ vector: rate(JOBS.failures, jobs, SPAN).sumBy('class').times(AN_HOUR), legend: '{{class}}' }],
    }),
    lines({
      title: 'Restarts by cause, per hour',
      description: "ProgramFailed and OutOfMemory are the job's own; ClusterEnded and NodeRefused are the cluster's.",
      unit: 'short',
      width: 8,
      stacked: true,
      queries: [{ vector: rate(JOBS.restarts, jobs, SPAN).sumBy('cause').times(AN_HOUR), legend: '{{cause}}' }],
    }),
    lines({
      title: 'Restarts by namespace, per hour',
      description: 'Whose jobs are restarted.',
      unit: 'short',
      width: 8,
      stacked: true,
      queries: [
        { vector: rate(JOBS.restarts, jobs, SPAN).sumBy('job_namespace').times(AN_HOUR), legend: '{{job_namespace}}' },
      ],
    }),
  ];
}

function elastic(subject: Subject): PanelOf[] {
  const jobs = ofJobs(subject);
  const OF_JOB = ['cluster', 'job_namespace', 'kind', 'job_name'] as const;
  const isElastic = valueOf(PER_JOB.elasticMin, jobs).maxBy(...OF_JOB);
  const ready = valueOf(PER_JOB.ready, { ...jobs, ...ELASTIC_ROLES })
    .sumBy(...OF_JOB)
    .and(isElastic);
  const inState = (states: string) =>
    valueOf(PER_JOB.state, { ...jobs, state: matching(states) })
      .is(1)
      .maxBy(...OF_JOB);
  const alive = inState('Created|Running|Restarting');
  return [
    lines({
      title: 'Elastic jobs: replicas that are ready, and their bounds',
      description:
        'Of all elastic jobs that have not ended, together. Near the upper line there is room; at the lower one there is none.',
      unit: 'short',
      width: 16,
      colours: { ready: 'green', least: 'orange', most: 'blue' },
      queries: [
        { vector: isElastic.and(alive).sumBy(), legend: 'least' },
        { vector: ready.and(alive).sumBy(), legend: 'ready' },
        {
          vector: valueOf(PER_JOB.elasticMax, jobs)
            .maxBy(...OF_JOB)
            .and(alive)
            .sumBy(),
          legend: 'most',
        },
      ],
    }),
    stat({
      title: 'Below their least size',
      description: 'Elastic jobs that have run and have fewer replicas ready than they need to go on.',
      unit: 'short',
      width: 8,
      none: '0',
      queries: [{ vector: ready.belowThat(isElastic).and(inState('Running|Restarting')).countBy(), legend: 'jobs' }],
      limits: { warn: 1, bad: 10 },
    }),
  ];
}
