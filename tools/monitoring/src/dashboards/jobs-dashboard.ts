/** How are the jobs of a framework: what runs, what waits and for what, what fails, how long a start takes. */
import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';
import { JOBS, PER_JOB } from '@muster/metrics';
import { ELASTIC_ROLES } from '../elastic-roles.ts';
import { matching } from '../promql/matchers.ts';
import { average, bucketRate, increase, knownQuantile, secondsSince, valueOf } from '../promql/metric-query.ts';
import { PHASE_COLOURS, STATE_COLOURS, WAITING_COLOURS } from './colours.ts';
import { dashboardOf, dashboardUid } from './dashboard.ts';
import { bars, heatmap, lines, stat, table, type PanelOf } from './panel.ts';
import { failingStat } from './failing-stat.ts';
import { rayPanels } from './ray-panels.ts';
import type { Subject } from '../subject.ts';
import { clusterVariable, namespacesVariable, ofJobs } from './variables.ts';

const SPAN = '$__rate_interval';
const RANGE = '$__range';

const OF_A_JOB = ['cluster', 'job_namespace', 'kind', 'job_name'] as const;

export function jobsDashboard(subject: Subject): Dashboard {
  return dashboardOf(subject, {
    name: 'jobs',
    title: 'jobs',
    description: `How the jobs of ${subject.title} are: what runs, what waits and for what, what fails, how long a start takes.`,
    variables: [clusterVariable(subject), namespacesVariable(subject)],
    rows: [
      { title: 'Now', panels: now(subject) },
      { title: 'What fails', panels: failing(subject) },
      { title: 'Jobs and pods', panels: jobsAndPods(subject) },
      { title: 'What waits', panels: waiting(subject) },
      { title: 'Starts, ends and restarts', panels: [...starts(subject), ...endsAndRestarts(subject)] },
      ...(subject.isElastic ? [{ title: 'Elastic jobs', panels: elastic(subject) }] : []),
      ...(subject.framework === 'ray' ? [{ title: 'Ray', panels: rayPanels() }] : []),
    ],
  });
}

function now(subject: Subject): PanelOf[] {
  const jobs = ofJobs(subject);
  const small = { unit: 'short', width: 3, height: 4, none: '0' };
  return [
    stat({
      ...small,
      title: 'Running',
      description: 'Jobs whose state is Running and that do not keep failing.',
      queries: [{ vector: valueOf(JOBS.jobs, { ...jobs, state: 'Running' }).sumBy(), legend: 'Running' }],
    }),
    failingStat(jobs, { width: 4, height: 4 }),
    stat({
      ...small,
      title: 'Waiting',
      description: 'Jobs that do not run with all of their replicas, and are not suspended. The reasons are below.',
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
      width: 4,
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
      width: 4,
      title: 'Restarts',
      description: 'Restarts of replicas within the time range; what is restarted together counts once.',
      decimals: 0,
      queries: [{ vector: increase(JOBS.restarts, jobs, RANGE).sumBy(), legend: 'Restarts' }],
      limits: { warn: 1, bad: 100 },
    }),
  ];
}

/** Which jobs keep failing, and which have failed, each with what failed first. */
function failing(subject: Subject): PanelOf[] {
  const jobs = ofJobs(subject);
  const inState = (state: 'Failing' | 'Failed') =>
    valueOf(PER_JOB.state, { ...jobs, state })
      .is(1)
      .maxBy(...OF_A_JOB);
  const cause = valueOf(PER_JOB.failure, jobs).maxBy(...OF_A_JOB, 'class', 'exit_code');
  const columns = { job_name: 'Job', class: 'First failure', exit_code: 'Exit code' };
  const where = { job_namespace: 'Namespace', kind: 'Kind' };
  return [
    table({
      title: 'Jobs that keep failing',
      description:
        'Jobs in a crash loop, failed twice within ten minutes, or restarted and not ready; those with the most restarts first. Empty where the series of single jobs are off (metrics.perJob).',
      unit: 'short',
      width: 12,
      none: 'none',
      vector: valueOf(PER_JOB.restarts, jobs)
        .maxBy(...OF_A_JOB)
        .and(inState('Failing'))
        .withLabelsOf(cause),
      columns: { job_name: 'Job', Value: 'Restarts', class: 'First failure', exit_code: 'Exit code', ...where },
      sortBy: { column: 'Restarts', largestFirst: true },
      link: { column: 'Job', ...jobLink(subject) },
    }),
    table({
      title: 'Jobs that have failed',
      description:
        'What failed first in each, the last failure first. None: a limit or an invalid spec ended the job. Deleted jobs are not listed.',
      unit: 's',
      width: 12,
      none: 'none',
      vector: secondsSince(PER_JOB.completed, jobs)
        .maxBy(...OF_A_JOB)
        .and(inState('Failed'))
        .withLabelsOf(cause),
      columns: { ...columns, Value: 'Failed ago', ...where },
      sortBy: { column: 'Failed ago' },
      link: { column: 'Job', ...jobLink(subject) },
    }),
  ];
}

/** From the row of a table with the columns Namespace, Kind and Job. */
function jobLink({ framework }: Subject): { readonly title: string; readonly url: string } {
  return {
    title: 'This job',
    url: `/d/${dashboardUid(framework, 'job')}?\${datasource:queryparam}&\${cluster:queryparam}&var-namespace=\${__data.fields.Namespace}&var-kind=\${__data.fields.Kind}&var-job=\${__value.text}`,
  };
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
          vector: valueOf(JOBS.jobs, { ...jobs, state: 'Running' })
            .sumBy('job_namespace')
            .sorted(),
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
      none: 'none',
      vector: valueOf(PER_JOB.waiting, jobs).is(1).maxBy('job_namespace', 'kind', 'job_name', 'reason'),
      columns: { job_name: 'Job', reason: 'Waits for', job_namespace: 'Namespace', kind: 'Kind' },
      sortBy: { column: 'Waits for' },
      link: { column: 'Job', ...jobLink(subject) },
    }),
  ];
}

function starts(subject: Subject): PanelOf[] {
  const jobs = ofJobs(subject);
  const running = { ...jobs, stage: 'running' } as const;
  const by = { span: SPAN, by: ['stage'] } as const;
  return [
    lines({
      title: 'How long a start takes',
      description:
        'From the start of a job until all of its pods are made, and until all replicas run: the average, and of 20 starts or more p95.',
      unit: 's',
      width: 8,
      queries: [
        { vector: average(JOBS.startLatency, jobs, by), legend: '{{stage}} average' },
        { vector: knownQuantile(0.95, JOBS.startLatency, jobs, by), legend: '{{stage}} p95' },
      ],
    }),
    heatmap({
      title: 'Starts until all replicas run',
      description:
        'How many starts took how long. Two bands are two kinds of starts: images that are there, and images that are pulled.',
      unit: 's',
      width: 8,
      queries: [{ vector: bucketRate(JOBS.startLatency, running, SPAN).sumBy('le'), legend: '{{le}}' }],
    }),
    bars({
      ...COUNTED,
      title: 'Jobs created and ended',
      description:
        'Within the time range. More created than ended for long: the cluster is too small for the jobs that are submitted.',
      colours: { created: 'blue', succeeded: 'green', failed: 'red' },
      queries: [
        { vector: increase(JOBS.created, jobs, RANGE).sumBy(), legend: 'created' },
        { vector: increase(JOBS.successful, jobs, RANGE).sumBy(), legend: 'succeeded' },
        { vector: increase(JOBS.failed, jobs, RANGE).sumBy(), legend: 'failed' },
      ],
    }),
  ];
}

/** A rate of what happens in a burst would be far from what happens in an hour, so these are counts. */
const COUNTED = { unit: 'short', width: 8, decimals: 0, none: 'none' } as const;

function endsAndRestarts(subject: Subject): PanelOf[] {
  const jobs = ofJobs(subject);
  const counted = { ...COUNTED, height: 6 };
  return [
    bars({
      ...counted,
      title: 'First failures by class',
      description:
        'Within the time range, without what failed because of them. Program and OutOfMemory are for the owner of the job, the others for the administrator of the cluster.',
      queries: [{ vector: increase(JOBS.failures, jobs, RANGE).sumBy('class').above(0).sorted(), legend: '{{class}}' }],
    }),
    bars({
      ...counted,
      title: 'Restarts by cause',
      description:
        "Within the time range. ProgramFailed and OutOfMemory are the job's own; ClusterEnded and NodeRefused are the cluster's.",
      queries: [{ vector: increase(JOBS.restarts, jobs, RANGE).sumBy('cause').above(0).sorted(), legend: '{{cause}}' }],
    }),
    bars({
      ...counted,
      title: 'Restarts by namespace',
      description: 'Within the time range: whose jobs are restarted.',
      queries: [
        {
          vector: increase(JOBS.restarts, jobs, RANGE).sumBy('job_namespace').above(0).sorted(),
          legend: '{{job_namespace}}',
        },
      ],
    }),
  ];
}

function elastic(subject: Subject): PanelOf[] {
  const jobs = ofJobs(subject);
  const isElastic = valueOf(PER_JOB.elasticMin, jobs).maxBy(...OF_A_JOB);
  const ready = valueOf(PER_JOB.ready, { ...jobs, ...ELASTIC_ROLES })
    .sumBy(...OF_A_JOB)
    .and(isElastic);
  const inState = (states: string) =>
    valueOf(PER_JOB.state, { ...jobs, state: matching(states) })
      .is(1)
      .maxBy(...OF_A_JOB);
  const alive = inState('Created|Running|Failing|Restarting');
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
            .maxBy(...OF_A_JOB)
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
      queries: [
        { vector: ready.belowThat(isElastic).and(inState('Running|Failing|Restarting')).countBy(), legend: 'jobs' },
      ],
      limits: { warn: 1, bad: 10 },
    }),
  ];
}
