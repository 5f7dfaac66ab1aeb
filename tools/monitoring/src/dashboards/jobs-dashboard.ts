/** All jobs of a framework: which run, wait and fail, and how long a start takes. */
import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';
import { JOBS, PER_JOB } from '@muster/metrics';
import { ELASTIC_ROLES } from '../elastic-roles.ts';
import { matching } from '../promql/matchers.ts';
import { average, bucketIncrease, increase, knownQuantile, secondsSince, valueOf } from '../promql/metric-query.ts';
import { PHASE_COLOURS, STATE_COLOURS, stateColoursOf, WAITING_COLOURS } from './colours.ts';
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
    description: `Jobs of ${subject.title}: which run, wait and fail, why, and how long a start takes.`,
    variables: [clusterVariable(subject), namespacesVariable(subject)],
    rows: [
      { title: 'Overview', panels: now(subject) },
      { title: 'Failures', panels: failing(subject) },
      { title: 'Jobs and pods', panels: jobsAndPods(subject) },
      { title: 'Waiting jobs', panels: waiting(subject) },
      { title: 'Starts, completions and restarts', panels: [...starts(subject), ...endsAndRestarts(subject)] },
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
      description: 'Jobs in state Running, without failing ones.',
      queries: [{ vector: valueOf(JOBS.jobs, { ...jobs, state: 'Running' }).sumBy(), legend: 'Running' }],
    }),
    failingStat(jobs, small),
    stat({
      ...small,
      title: 'Waiting',
      description: 'Jobs that do not run with all of their replicas, without suspended ones. The reasons are below.',
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
      description: 'Jobs that are suspended, by their users or by a queue.',
      queries: [{ vector: valueOf(JOBS.jobs, { ...jobs, state: 'Suspended' }).sumBy(), legend: 'Suspended' }],
    }),
    stat({
      ...small,
      width: 4,
      title: 'Succeeded in range',
      description: 'Jobs that succeeded in the time range.',
      decimals: 0,
      queries: [{ vector: increase(JOBS.successful, jobs, RANGE).sumBy(), legend: 'Succeeded' }],
    }),
    stat({
      ...small,
      width: 4,
      title: 'Failed in range',
      description: 'Jobs that failed in the time range.',
      decimals: 0,
      queries: [{ vector: increase(JOBS.failed, jobs, RANGE).sumBy(), legend: 'Failed' }],
      limits: { bad: 1 },
    }),
    stat({
      ...small,
      width: 4,
      title: 'Restarts in range',
      description: 'Restarts of replicas in the time range. Replicas that are recreated together count once.',
      decimals: 0,
      queries: [{ vector: increase(JOBS.restarts, jobs, RANGE).sumBy(), legend: 'Restarts' }],
      limits: { warn: 1, bad: 100 },
    }),
  ];
}

/** Failing and failed jobs, each with its first failure. */
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
      title: 'Failing jobs by restarts',
      description:
        'Jobs that keep failing, those with the most restarts first. Empty without series of single jobs (metrics.perJob).',
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
      title: 'Failed jobs',
      description:
        'Failed jobs with their first failure, the most recent first. None: a limit or an invalid spec ended the job. Deleted jobs are not listed.',
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

/** Link from a row of a table with the columns Namespace, Kind and Job. */
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
      description: 'Jobs by the state in their status, or Failing. Finished jobs count until they are deleted.',
      unit: 'short',
      width: 8,
      stacked: true,
      colours: several ? stateColoursOf(subject.kinds) : STATE_COLOURS,
      queries: [
        several
          ? { vector: valueOf(JOBS.jobs, jobs).sumBy('kind', 'state'), legend: '{{kind}} {{state}}' }
          : { vector: valueOf(JOBS.jobs, jobs).sumBy('state'), legend: '{{state}}' },
      ],
    }),
    lines({
      title: 'Pods by phase',
      description: 'Pods of these jobs. If many are Pending, see the waiting jobs.',
      unit: 'short',
      width: 8,
      stacked: true,
      colours: PHASE_COLOURS,
      queries: [{ vector: valueOf(JOBS.pods, jobs).sumBy('phase'), legend: '{{phase}}' }],
    }),
    bars({
      title: 'Running jobs by namespace',
      description: 'Jobs in state Running by namespace, without failing ones.',
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
      description: 'Why jobs do not run with all of their replicas. Starting is normal unless it lasts.',
      unit: 'short',
      width: 10,
      stacked: true,
      colours: WAITING_COLOURS,
      queries: [{ vector: valueOf(JOBS.waiting, jobs).sumBy('reason'), legend: '{{reason}}' }],
    }),
    table({
      title: 'Waiting jobs',
      description: 'Waiting jobs with their reason. Empty without series of single jobs (metrics.perJob).',
      unit: 'short',
      width: 14,
      none: 'none',
      vector: valueOf(PER_JOB.waiting, jobs).is(1).maxBy('job_namespace', 'kind', 'job_name', 'reason'),
      columns: { job_name: 'Job', reason: 'Reason', job_namespace: 'Namespace', kind: 'Kind' },
      sortBy: { column: 'Reason' },
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
      title: 'Start latency',
      description:
        'Time from the start of a job until all of its pods are created, and until all replicas run: average, and p95 of at least 20 starts.',
      unit: 's',
      width: 8,
      queries: [
        { vector: average(JOBS.startLatency, jobs, by), legend: '{{stage}} average' },
        { vector: knownQuantile(0.95, JOBS.startLatency, jobs, by), legend: '{{stage}} p95' },
      ],
    }),
    heatmap({
      title: 'Start latency distribution',
      description:
        'Starts by the time until all replicas ran. Two bands often are starts with cached images, and starts that pull them.',
      unit: 's',
      width: 8,
      queries: [{ vector: bucketIncrease(JOBS.startLatency, running, SPAN).sumBy('le'), legend: '{{le}}' }],
    }),
    bars({
      ...COUNTED,
      title: 'Jobs created and finished in range',
      description:
        'Jobs in the time range. If more are created than finish for a long time, the cluster is too small for them.',
      colours: { created: 'blue', succeeded: 'green', failed: 'red' },
      queries: [
        { vector: increase(JOBS.created, jobs, RANGE).sumBy(), legend: 'created' },
        { vector: increase(JOBS.successful, jobs, RANGE).sumBy(), legend: 'succeeded' },
        { vector: increase(JOBS.failed, jobs, RANGE).sumBy(), legend: 'failed' },
      ],
    }),
  ];
}

/** Counts over the time range. A rate of a short burst, extrapolated to an hour, would mislead. */
const COUNTED = { unit: 'short', width: 8, decimals: 0, none: 'none' } as const;

function endsAndRestarts(subject: Subject): PanelOf[] {
  const jobs = ofJobs(subject);
  const counted = { ...COUNTED, height: 6 };
  return [
    bars({
      ...counted,
      title: 'First failures in range by class',
      description:
        'Failures in the time range, without cascading failures. Program and OutOfMemory concern the owner of the job, the others the administrator of the cluster.',
      queries: [{ vector: increase(JOBS.failures, jobs, RANGE).sumBy('class').above(0).sorted(), legend: '{{class}}' }],
    }),
    bars({
      ...counted,
      title: 'Restarts in range by cause',
      description:
        'Restarts in the time range. The job causes ProgramFailed and OutOfMemory, the cluster ClusterEnded and NodeRefused.',
      queries: [{ vector: increase(JOBS.restarts, jobs, RANGE).sumBy('cause').above(0).sorted(), legend: '{{cause}}' }],
    }),
    bars({
      ...counted,
      title: 'Restarts in range by namespace',
      description: 'Restarts of replicas in the time range by namespace of the job.',
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
      title: 'Ready elastic replicas and bounds',
      description:
        'Sums over all unfinished elastic jobs. Near the maximum the cluster has capacity; at the minimum it has none.',
      unit: 'short',
      width: 16,
      colours: { ready: 'green', min: 'orange', max: 'blue' },
      queries: [
        { vector: isElastic.and(alive).sumBy(), legend: 'min' },
        { vector: ready.and(alive).sumBy(), legend: 'ready' },
        {
          vector: valueOf(PER_JOB.elasticMax, jobs)
            .maxBy(...OF_A_JOB)
            .and(alive)
            .sumBy(),
          legend: 'max',
        },
      ],
    }),
    stat({
      title: 'Jobs below minimum size',
      description: 'Elastic jobs that have started and have fewer ready replicas than their minimum.',
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
