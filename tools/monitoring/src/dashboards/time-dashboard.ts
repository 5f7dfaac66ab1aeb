/** Where the time of jobs went, for the cluster and each team: of the resources that their pods hold, and of the jobs. */
import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';
import { JOB_TIME, JOBS, PER_JOB } from '@muster/metrics';
import { increase, rate, valueOf } from '../promql/metric-query.ts';
import type { Subject } from '../subject.ts';
import { matching, notMatching } from '../promql/matchers.ts';
import { ACCOUNT_COLOURS } from './colours.ts';
import { dashboardOf, oneOf, severalOf } from './dashboard.ts';
import { bars, lines, stat, table, type PanelOf } from './panel.ts';
import { ANY, clusterVariable, IN_CLUSTER } from './variables.ts';

const RANGE = '$__range';
const SPAN = '$__rate_interval';

/** Jobs of the selected operators. One cluster has one operator for each framework, and a team has jobs of several. */
const OF_FRAMEWORKS = { ...IN_CLUSTER, framework: matching('$framework') };
const JOBS_OF_TEAMS = { ...OF_FRAMEWORKS, job_namespace: matching('$namespace') };
const RESOURCE = { ...JOBS_OF_TEAMS, resource: '$resource' };

/** As `EXCLUDED_ACCOUNTS` and `PRODUCTIVE_ACCOUNTS` of the API. */
const COUNTED = { account: notMatching('Suspended|Queued') } as const;
const PRODUCTIVE = { account: matching('Running|Degraded|Finishing') } as const;
const UNPRODUCTIVE = { account: notMatching('Running|Degraded|Finishing') } as const;

const HOURS = { unit: 'suffix:h', decimals: 2, none: 'none', width: 8 } as const;

export function timeDashboard(subject: Subject): Dashboard {
  return dashboardOf(subject, {
    name: 'time',
    title: 'where did the time go',
    description:
      'Which team used the GPUs or other resources, which part of that was productive, and what failures cost. ' +
      `Framework selects the jobs of other operators, too; at first those of ${subject.title}.`,
    from: 'now-7d',
    variables: [
      clusterVariable(subject),
      frameworkVariable(subject),
      severalOf(
        { name: 'namespace', label: 'Namespace', metric: JOBS.jobs, matchers: OF_FRAMEWORKS, by: 'job_namespace' },
        ANY,
      ),
      oneOf({
        ...{ name: 'resource', label: 'Resource', metric: JOB_TIME.resourceTime, matchers: OF_FRAMEWORKS },
        by: 'resource',
      }),
    ],
    rows: [
      { title: 'Goodput', panels: GOODPUT },
      { title: 'Hours of the resource', panels: RESOURCES },
      { title: 'Hours of jobs and pods', panels: TIME },
      { title: 'Failures', panels: LOSSES },
    ],
  });
}

function frameworkVariable({ jobsFramework }: Subject) {
  const choice = { name: 'framework', label: 'Framework', metric: JOBS.jobs, matchers: IN_CLUSTER } as const;
  return severalOf({ ...choice, by: 'framework' }, ANY, jobsFramework);
}

const timeOf = (accounts: typeof COUNTED | typeof PRODUCTIVE) =>
  increase(JOB_TIME.time, { ...JOBS_OF_TEAMS, ...accounts }, RANGE);

const GOODPUT: PanelOf[] = [
  stat({
    title: 'Goodput in range',
    description: 'Running, Degraded and Finishing, as a share of all time of jobs except Suspended and Queued.',
    unit: 'percentunit',
    width: 4,
    decimals: 1,
    queries: [{ vector: timeOf(PRODUCTIVE).sumBy().per(timeOf(COUNTED).sumBy().above(0)), legend: 'Goodput' }],
  }),
  bars({
    title: 'Goodput by namespace',
    description: 'The same share for each namespace. The lowest have most to gain.',
    unit: 'percentunit',
    width: 8,
    decimals: 1,
    max: 1,
    none: 'none',
    queries: [
      {
        vector: timeOf(PRODUCTIVE).sumBy('job_namespace').per(timeOf(COUNTED).sumBy('job_namespace').above(0)).sorted(),
        legend: '{{job_namespace}}',
      },
    ],
  }),
  table({
    title: 'Goodput of jobs',
    description:
      'Jobs with their goodput since their creation, the lowest first. Empty without series of single jobs (metrics.perJob).',
    unit: 'percentunit',
    width: 12,
    none: 'none',
    vector: valueOf(PER_JOB.goodput, JOBS_OF_TEAMS).maxBy('job_namespace', 'kind', 'job_name'),
    columns: { job_name: 'Job', Value: 'Goodput', job_namespace: 'Namespace', kind: 'Kind' },
    sortBy: { column: 'Goodput' },
  }),
];

const held = (accounts: object = {}) => increase(JOB_TIME.resourceTime, { ...RESOURCE, ...accounts }, RANGE);

/** Pods hold their resources from their assignment to a node until their end. */
const RESOURCES: PanelOf[] = [
  bars({
    ...HOURS,
    title: 'Resource hours by account',
    description:
      'Hours of the selected resource in the time range: an hour of 8 GPUs is 8. Pods hold it from the time at which they have a node, also while the job starts or restarts.',
    colours: ACCOUNT_COLOURS,
    queries: [{ vector: held().sumBy('account').inHours().above(0).sorted(), legend: '{{account}}' }],
  }),
  bars({
    ...HOURS,
    title: 'Resource hours by namespace',
    description: 'The same hours for each namespace.',
    queries: [{ vector: held().sumBy('job_namespace').inHours().above(0).sorted(), legend: '{{job_namespace}}' }],
  }),
  bars({
    ...HOURS,
    title: 'Unproductive resource hours',
    description:
      'Hours that were held and not used, by namespace and account. Restarting and Recomputing are the cost of failures, Stalled is that of jobs that hang.',
    queries: [
      {
        vector: held(UNPRODUCTIVE).sumBy('job_namespace', 'account').inHours().above(0).sorted(),
        legend: '{{job_namespace}} {{account}}',
      },
    ],
  }),
  lines({
    title: 'Resources held by account',
    description:
      'Units of the selected resource that pods of jobs hold, such as the number of GPUs, by account of their job.',
    unit: 'short',
    width: 24,
    stacked: true,
    colours: ACCOUNT_COLOURS,
    queries: [{ vector: rate(JOB_TIME.resourceTime, RESOURCE, SPAN).sumBy('account'), legend: '{{account}}' }],
  }),
];

const TIME: PanelOf[] = [
  bars({
    ...HOURS,
    width: 12,
    title: 'Job hours by account',
    description: 'Each second between the creation and the end of a job belongs to one account.',
    colours: ACCOUNT_COLOURS,
    queries: [
      {
        vector: increase(JOB_TIME.time, JOBS_OF_TEAMS, RANGE).sumBy('account').inHours().above(0).sorted(),
        legend: '{{account}}',
      },
    ],
  }),
  bars({
    ...HOURS,
    width: 12,
    title: 'Pod hours by account',
    description: 'Hours of pods with a node, by account of their job: a job of 100 pods counts 100 times.',
    colours: ACCOUNT_COLOURS,
    queries: [
      {
        vector: increase(JOB_TIME.podTime, JOBS_OF_TEAMS, RANGE).sumBy('account').inHours().above(0).sorted(),
        legend: '{{account}}',
      },
    ],
  }),
  lines({
    title: 'Jobs by account',
    description: 'Number of unfinished jobs by account.',
    unit: 'short',
    width: 24,
    stacked: true,
    colours: ACCOUNT_COLOURS,
    queries: [{ vector: rate(JOB_TIME.time, JOBS_OF_TEAMS, SPAN).sumBy('account'), legend: '{{account}}' }],
  }),
];

const lost = (by: 'class' | 'job_namespace') =>
  increase(JOB_TIME.lostTime, JOBS_OF_TEAMS, RANGE).sumBy(by).inHours().above(0).sorted();
const LOST = 'Hours from a failure until all replicas run again, and of steps that are repeated, ';

const LOSSES: PanelOf[] = [
  bars({
    ...HOURS,
    title: 'Job hours lost by failure',
    description: `${LOST}by class of the failure. Program and OutOfMemory concern the owner of the job, the others the cluster.`,
    queries: [{ vector: lost('class'), legend: '{{class}}' }],
  }),
  bars({
    ...HOURS,
    title: 'Job hours lost by namespace',
    description: `${LOST}by namespace of the job.`,
    queries: [{ vector: lost('job_namespace'), legend: '{{job_namespace}}' }],
  }),
  bars({
    ...HOURS,
    title: 'Resource hours lost',
    description: `${LOST}times the units of the selected resource that the pods hold, by namespace and class of the failure.`,
    queries: [
      {
        vector: increase(JOB_TIME.lostResourceTime, RESOURCE, RANGE)
          .sumBy('job_namespace', 'class')
          .inHours()
          .above(0)
          .sorted(),
        legend: '{{job_namespace}} {{class}}',
      },
    ],
  }),
];
