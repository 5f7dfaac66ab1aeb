/** One job, from the series of single jobs. */
import { BigValueTextMode } from '@grafana/grafana-foundation-sdk/common';
import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';
import { PER_JOB } from '@muster/metrics';
import { secondsSince, valueOf } from '../promql/metric-query.ts';
import { STATE_COLOURS, WAITING_COLOURS } from './colours.ts';
import { dashboardOf } from './dashboard.ts';
import { lines, stat, table, timeline, textPanel, type PanelOf } from './panel.ts';
import type { Subject } from '../subject.ts';
import { clusterVariable, jobVariables, ofJob } from './variables.ts';

export function jobDashboard(subject: Subject): Dashboard {
  return dashboardOf(subject, {
    name: 'job',
    title: 'one job',
    description:
      'State, waiting reason, first failure and pods of one job. Needs the series of single jobs (metrics.perJob).',
    variables: [clusterVariable(subject), ...jobVariables(subject)],
    rows: [
      { title: 'Overview', panels: now(subject) },
      { title: 'Over time', panels: overTime(subject) },
      { title: 'Details', panels: details(subject) },
    ],
  });
}

function now(subject: Subject): PanelOf[] {
  const job = ofJob(subject);
  const small = { width: 3, height: 4 };
  const name = { ...small, unit: 'short', shows: BigValueTextMode.Name };
  const failing = valueOf(PER_JOB.state, { ...job, state: 'Failing' })
    .is(1)
    .maxBy();
  const failure = (code: '' | { operator: '!='; value: '' }) =>
    valueOf(PER_JOB.failure, { ...job, exit_code: code }).maxBy('class', 'exit_code');
  return [
    stat({
      ...name,
      width: 4,
      title: 'State',
      description:
        'The state in the status, or Failing: in a crash loop, failed twice within ten minutes, waiting for a delayed restart, or not ready after a restart.',
      colours: STATE_COLOURS,
      queries: [{ vector: valueOf(PER_JOB.state, job).is(1).maxBy('state'), legend: '{{state}}' }],
      none: 'no such job',
    }),
    stat({
      ...name,
      width: 4,
      title: 'Waiting reason',
      description:
        'Why not all replicas run. "keeps failing": all replicas of a failing job run at the moment. "muster why" shows the details.',
      queries: [
        { vector: valueOf(PER_JOB.waiting, job).is(1).maxBy('reason'), legend: '{{reason}}' },
        { vector: failing.unless(valueOf(PER_JOB.waiting, job).maxBy()), legend: 'keeps failing' },
      ],
      none: 'none',
    }),
    stat({
      ...name,
      width: 4,
      title: 'First failure',
      description:
        'Class of the first failure of a Failing or Failed job, with the exit code. "muster why" shows the pod and the error.',
      queries: [
        { vector: failure({ operator: '!=', value: '' }), legend: '{{class}} ({{exit_code}})' },
        { vector: failure(''), legend: '{{class}}' },
      ],
      none: 'none',
    }),
    ...countsNow(subject, small),
  ];
}

function countsNow(subject: Subject, small: { readonly width: number; readonly height: number }): PanelOf[] {
  const job = ofJob(subject);
  const ended = secondsSince(PER_JOB.started, job).maxBy().minus(secondsSince(PER_JOB.completed, job).maxBy());
  return [
    stat({
      ...small,
      title: 'Ready pods',
      description: 'Ready pods of all roles.',
      unit: 'short',
      queries: [{ vector: valueOf(PER_JOB.ready, job).maxBy('role').sumBy(), legend: 'ready' }],
    }),
    stat({
      ...small,
      title: 'Desired pods',
      description: 'Desired pods of all roles: 0 while the job is suspended and after its end.',
      unit: 'short',
      queries: [{ vector: valueOf(PER_JOB.replicas, job).maxBy('role').sumBy(), legend: 'desired' }],
    }),
    stat({
      ...small,
      title: 'Restarts',
      description: 'Restarts in the status of the job.',
      unit: 'short',
      queries: [{ vector: valueOf(PER_JOB.restarts, job).maxBy(), legend: 'restarts' }],
      limits: { warn: 1, bad: 10 },
    }),
    stat({
      ...small,
      title: 'Run time',
      description: 'Time since the job started or was last resumed, until now or its end.',
      unit: 's',
      queries: [{ vector: ended.or(secondsSince(PER_JOB.started, job).maxBy()), legend: 'time' }],
      none: 'none',
    }),
  ];
}

function overTime(subject: Subject): PanelOf[] {
  const job = ofJob(subject);
  const bounds = [
    { vector: valueOf(PER_JOB.elasticMin, job).maxBy(), legend: 'min' },
    { vector: valueOf(PER_JOB.elasticMax, job).maxBy(), legend: 'max' },
    { vector: valueOf(PER_JOB.elasticWanted, job).maxBy(), legend: 'in spec' },
  ];
  return [
    timeline({
      title: 'State history',
      description: 'A row for each state of the job in the time range.',
      unit: 'short',
      width: 12,
      height: 6,
      states: STATE_COLOURS,
      queries: [{ vector: valueOf(PER_JOB.state, job).is(1).maxBy('state'), legend: '{{state}}' }],
    }),
    timeline({
      title: 'Waiting reason history',
      description: 'A row for each waiting reason. None while all replicas ran, and after the end of the job.',
      none: 'none',
      unit: 'short',
      width: 12,
      height: 6,
      states: WAITING_COLOURS,
      queries: [{ vector: valueOf(PER_JOB.waiting, job).is(1).maxBy('reason'), legend: '{{reason}}' }],
    }),
    lines({
      title: 'Pods by role',
      description: subject.isElastic
        ? 'Ready and desired pods. For an elastic job also its bounds, and the workers in its spec: it gets fewer while the cluster has no room.'
        : 'Ready and desired pods.',
      unit: 'short',
      width: 16,
      colours: { min: 'light-purple', 'in spec': 'purple', max: 'dark-purple' },
      queries: [
        { vector: valueOf(PER_JOB.ready, job).maxBy('role'), legend: '{{role}} ready' },
        { vector: valueOf(PER_JOB.replicas, job).maxBy('role'), legend: '{{role}} desired' },
        ...(subject.isElastic ? bounds : []),
      ],
    }),
    lines({
      title: 'Restarts over time',
      description:
        'Restarts in the status of the job. Repeated steps are a restart loop: read the logs of the last attempt.',
      unit: 'short',
      width: 8,
      queries: [{ vector: valueOf(PER_JOB.restarts, job).maxBy(), legend: 'restarts' }],
    }),
    ...(subject.tellsProgress ? progress(subject) : []),
  ];
}

function progress(subject: Subject): PanelOf[] {
  const job = ofJob(subject);
  return [
    lines({
      title: 'Progress',
      description:
        'Progress that the program reports (progressDeadlineSeconds). A step down is a restart from a checkpoint.',
      none: 'not reported by the program',
      unit: 'percentunit',
      width: 12,
      queries: [{ vector: valueOf(PER_JOB.progress, job).maxBy(), legend: 'done' }],
    }),
    lines({
      title: 'Step',
      description:
        'Step that the program reports. Stalled: no progress for progressDeadlineSeconds. Unknown: no replica reports, so the deadline does not apply.',
      none: 'not reported by the program',
      unit: 'short',
      width: 12,
      colours: { stalled: 'red', unknown: 'orange' },
      queries: [
        { vector: valueOf(PER_JOB.progressStep, job).maxBy(), legend: 'step' },
        { vector: valueOf(PER_JOB.stalled, job).is(1).maxBy(), legend: 'stalled' },
        { vector: valueOf(PER_JOB.progressUnknown, job).is(1).maxBy(), legend: 'unknown' },
      ],
    }),
  ];
}

function details(subject: Subject): PanelOf[] {
  const kind = subject.kinds.length === 1 ? subject.kinds.join().toLowerCase() : '$kind';
  return [
    table({
      title: 'Job, queue and scheduler',
      description: 'UID of the job, for the audit log, and its queue and scheduler if it names them.',
      unit: 'short',
      width: 12,
      height: 6,
      vector: valueOf(PER_JOB.info, ofJob(subject)).maxBy('job_namespace', 'job_name', 'queue', 'scheduler', 'uid'),
      columns: { queue: 'Queue', scheduler: 'Scheduler', job_namespace: 'Namespace', job_name: 'Job', uid: 'UID' },
    }),
    textPanel({
      title: 'Commands',
      width: 12,
      content: [
        '```sh',
        '# why it waits or failed, and the next step',
        `muster why ${kind}/$job -n $namespace`,
        '# logs of all replicas, also after the end of the job',
        `muster logs ${kind}/$job -n $namespace --all`,
        '# where its time went',
        `muster goodput ${kind}/$job -n $namespace`,
        '```',
      ].join('\n'),
    }),
  ];
}
