/** Where the time of jobs went, for the cluster and each team. */
import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';
import { JOB_TIME, PER_JOB } from '@muster/metrics';
import { increase, valueOf } from '../promql/metric-query.ts';
import type { Subject } from '../subject.ts';
import { matching, notMatching } from '../promql/matchers.ts';
import { ACCOUNT_COLOURS } from './colours.ts';
import { dashboardOf } from './dashboard.ts';
import { bars, lines, stat, table, type PanelOf } from './panel.ts';
import { clusterVariable, namespacesVariable, ofJobs } from './variables.ts';

const RANGE = '$__range';
const SPAN = '$__rate_interval';

/** As `EXCLUDED_ACCOUNTS` and `PRODUCTIVE_ACCOUNTS` of the API. */
const COUNTED = { account: notMatching('Suspended|Queued') } as const;
const PRODUCTIVE = { account: matching('Running|Degraded|Finishing') } as const;

export function timeDashboard(subject: Subject): Dashboard {
  return dashboardOf(subject, {
    name: 'time',
    title: 'where did the time go',
    description: `Time of the jobs of ${subject.title} by account, and what failures cost, for the cluster and each team.`,
    variables: [clusterVariable(subject), namespacesVariable(subject)],
    rows: [
      { title: 'Goodput', panels: goodput(subject) },
      { title: 'Time', panels: time(subject) },
      { title: 'Failures', panels: losses(subject) },
    ],
  });
}

function goodput(subject: Subject): PanelOf[] {
  const jobs = ofJobs(subject);
  const of = (accounts: typeof COUNTED | typeof PRODUCTIVE) => increase(JOB_TIME.time, { ...jobs, ...accounts }, RANGE);
  return [
    stat({
      title: 'Goodput in range',
      description: 'Running, Degraded and Finishing, as a share of all time of jobs except Suspended and Queued.',
      unit: 'percentunit',
      width: 4,
      decimals: 1,
      queries: [{ vector: of(PRODUCTIVE).sumBy().per(of(COUNTED).sumBy().above(0)), legend: 'Goodput' }],
    }),
    bars({
      title: 'Goodput by namespace',
      description: 'The same share for each namespace. The lowest have most to gain.',
      unit: 'percentunit',
      width: 8,
      none: 'none',
      queries: [
        {
          vector: of(PRODUCTIVE).sumBy('job_namespace').per(of(COUNTED).sumBy('job_namespace').above(0)).sorted(),
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
      vector: valueOf(PER_JOB.goodput, jobs).maxBy('job_namespace', 'kind', 'job_name'),
      columns: { job_name: 'Job', Value: 'Goodput', job_namespace: 'Namespace', kind: 'Kind' },
      sortBy: { column: 'Goodput' },
    }),
  ];
}

function time(subject: Subject): PanelOf[] {
  const jobs = ofJobs(subject);
  return [
    bars({
      title: 'Time of jobs in range by account',
      description: 'Each second between the creation and the end of a job belongs to one account.',
      unit: 's',
      width: 8,
      none: 'none',
      colours: ACCOUNT_COLOURS,
      queries: [
        { vector: increase(JOB_TIME.time, jobs, RANGE).sumBy('account').above(0).sorted(), legend: '{{account}}' },
      ],
    }),
    bars({
      title: 'Time of pods in range by account',
      description: 'Time of pods with a node: a job of 100 pods counts 100 times.',
      unit: 's',
      width: 8,
      none: 'none',
      colours: ACCOUNT_COLOURS,
      queries: [
        { vector: increase(JOB_TIME.podTime, jobs, RANGE).sumBy('account').above(0).sorted(), legend: '{{account}}' },
      ],
    }),
    bars({
      title: 'Time of resources in range by account',
      description: 'Time of pods times the extended resources that they request, such as GPUs.',
      unit: 's',
      width: 8,
      none: 'none',
      queries: [
        {
          vector: increase(JOB_TIME.resourceTime, jobs, RANGE).sumBy('resource', 'account').above(0).sorted(),
          legend: '{{resource}} {{account}}',
        },
      ],
    }),
    lines({
      title: 'Time of jobs by account',
      description: 'Time of all jobs in each interval of the chart, by account.',
      unit: 's',
      width: 24,
      stacked: true,
      colours: ACCOUNT_COLOURS,
      queries: [{ vector: increase(JOB_TIME.time, jobs, SPAN).sumBy('account'), legend: '{{account}}' }],
    }),
  ];
}

function losses(subject: Subject): PanelOf[] {
  const jobs = ofJobs(subject);
  const lost = (by: 'class' | 'job_namespace') => increase(JOB_TIME.lostTime, jobs, RANGE).sumBy(by).above(0).sorted();
  const text = 'Time from a failure until all replicas run again, and of steps that are repeated, ';
  return [
    bars({
      title: 'Lost time in range by failure',
      description: `${text}by class of the failure. Program and OutOfMemory concern the owner of the job, the others the cluster.`,
      unit: 's',
      width: 8,
      none: 'none',
      queries: [{ vector: lost('class'), legend: '{{class}}' }],
    }),
    bars({
      title: 'Lost time in range by namespace',
      description: `${text}by namespace of the job.`,
      unit: 's',
      width: 8,
      none: 'none',
      queries: [{ vector: lost('job_namespace'), legend: '{{job_namespace}}' }],
    }),
    bars({
      title: 'Lost resource time in range',
      description: `${text}times the extended resources that the pods request.`,
      unit: 's',
      width: 8,
      none: 'none',
      queries: [
        {
          vector: increase(JOB_TIME.lostResourceTime, jobs, RANGE)
            .sumBy('resource', 'class', 'job_namespace')
            .above(0)
            .sorted(),
          legend: '{{job_namespace}} {{class}} {{resource}}',
        },
      ],
    }),
  ];
}
