/** One job: what it is doing, what it waits for, how many of its pods are ready. Made of the series of single jobs. */
import { BigValueTextMode } from '@grafana/grafana-foundation-sdk/common';
import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';
import { PER_JOB } from '@muster/metrics';
import { secondsSince, valueOf } from '../promql/metric-query.ts';
import { STATE_COLOURS, WAITING_COLOURS } from './colours.ts';
import { dashboardOf } from './dashboard.ts';
import { lines, stat, table, timeline, words, type PanelOf } from './panel.ts';
import type { Subject } from '../subject.ts';
import { clusterVariable, jobVariables, ofJob } from './variables.ts';

export function jobDashboard(subject: Subject): Dashboard {
  return dashboardOf(subject, {
    name: 'job',
    title: 'one job',
    description:
      'What a job is doing, what it waits for, how many of its pods are ready. Needs the series of single jobs (metrics.perJob).',
    variables: [clusterVariable(subject), ...jobVariables(subject)],
    rows: [
      { title: 'Now', panels: now(subject) },
      { title: 'Over time', panels: overTime(subject) },
      { title: 'Further', panels: further(subject) },
    ],
  });
}

function now(subject: Subject): PanelOf[] {
  const job = ofJob(subject);
  const small = { width: 3, height: 4 };
  const name = { ...small, unit: 'short', shows: BigValueTextMode.Name };
  const failure = (code: '' | { operator: '!='; value: '' }) =>
    valueOf(PER_JOB.failure, { ...job, exit_code: code }).maxBy('class', 'exit_code');
  return [
    stat({
      ...name,
      width: 4,
      title: 'State',
      description:
        'The state in its status, or Failing: in a crash loop, failed twice within ten minutes, or restarted and not ready.',
      colours: STATE_COLOURS,
      queries: [{ vector: valueOf(PER_JOB.state, job).is(1).maxBy('state'), legend: '{{state}}' }],
      none: 'no such job',
    }),
    stat({
      ...name,
      width: 4,
      title: 'Waits for',
      description: 'The first thing that is in the way of all replicas running. "muster why" says it in words.',
      queries: [{ vector: valueOf(PER_JOB.waiting, job).is(1).maxBy('reason'), legend: '{{reason}}' }],
      none: 'nothing',
    }),
    stat({
      ...name,
      width: 4,
      title: 'First failure',
      description:
        'What failed first in a job that is Failing or Failed, with its exit code. "muster why" shows the pod and the error.',
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
      description: 'Pods that run and are ready, of all roles.',
      unit: 'short',
      queries: [{ vector: valueOf(PER_JOB.ready, job).maxBy('role').sumBy(), legend: 'ready' }],
    }),
    stat({
      ...small,
      title: 'Wanted pods',
      description: 'Pods that it wants now: none while it is suspended, and after its end.',
      unit: 'short',
      queries: [{ vector: valueOf(PER_JOB.replicas, job).maxBy('role').sumBy(), legend: 'wanted' }],
    }),
    stat({
      ...small,
      title: 'Restarts',
      description: 'As its status counts them.',
      unit: 'short',
      queries: [{ vector: valueOf(PER_JOB.restarts, job).maxBy(), legend: 'restarts' }],
      limits: { warn: 1, bad: 10 },
    }),
    stat({
      ...small,
      title: 'Run time',
      description: 'Since it started or was last resumed, until now or until its end.',
      unit: 's',
      queries: [{ vector: ended.or(secondsSince(PER_JOB.started, job).maxBy()), legend: 'time' }],
      none: 'not started',
    }),
  ];
}

function overTime(subject: Subject): PanelOf[] {
  const job = ofJob(subject);
  const bounds = [
    { vector: valueOf(PER_JOB.elasticMin, job).maxBy(), legend: 'least' },
    { vector: valueOf(PER_JOB.elasticMax, job).maxBy(), legend: 'most' },
    { vector: valueOf(PER_JOB.elasticWanted, job).maxBy(), legend: 'asked for' },
    { vector: valueOf(PER_JOB.elasticGranted, job).maxBy(), legend: 'room for' },
  ];
  return [
    timeline({
      title: 'State',
      description: 'A row for each state that it was in.',
      unit: 'short',
      width: 12,
      states: STATE_COLOURS,
      queries: [{ vector: valueOf(PER_JOB.state, job).is(1).maxBy('state'), legend: '{{state}}' }],
    }),
    timeline({
      title: 'What it waited for',
      description: 'A row for each reason. Nothing here: all of its replicas ran, or it had ended.',
      unit: 'short',
      width: 12,
      states: WAITING_COLOURS,
      queries: [{ vector: valueOf(PER_JOB.waiting, job).is(1).maxBy('reason'), legend: '{{reason}}' }],
    }),
    lines({
      title: 'Pods by role',
      description: subject.isElastic
        ? 'Pods that are ready and pods that are wanted; of an elastic job also its bounds, how many its spec asks for, and for how many there is room.'
        : 'Pods that are ready and pods that are wanted.',
      unit: 'short',
      width: 16,
      queries: [
        { vector: valueOf(PER_JOB.ready, job).maxBy('role'), legend: '{{role}} ready' },
        { vector: valueOf(PER_JOB.replicas, job).maxBy('role'), legend: '{{role}} wanted' },
        ...(subject.isElastic ? bounds : []),
      ],
    }),
    lines({
      title: 'Restarts',
      description:
        'As its status counts them. Steps that come again and again are a restart loop: read the logs of the last try.',
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
        'How much of its work is done, as its program tells (progressDeadlineSeconds). A step down is a restart from a checkpoint.',
      unit: 'percentunit',
      width: 12,
      queries: [{ vector: valueOf(PER_JOB.progress, job).maxBy(), legend: 'done' }],
    }),
    lines({
      title: 'Step',
      description:
        'The step that the program reports. Stalled: no progress for progressDeadlineSeconds. Unknown: no replica can be reached, so the deadline does not count.',
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

function further(subject: Subject): PanelOf[] {
  const kind = subject.kinds.length === 1 ? subject.kinds.join() : '$kind';
  return [
    table({
      title: 'Queue and scheduler',
      description: 'The queue that it waits in and the scheduler that places its pods; empty where it names none.',
      unit: 'short',
      width: 12,
      height: 6,
      vector: valueOf(PER_JOB.info, ofJob(subject)).maxBy('job_namespace', 'job_name', 'queue', 'scheduler', 'uid'),
      columns: { job_namespace: 'Namespace', job_name: 'Job', queue: 'Queue', scheduler: 'Scheduler', uid: 'UID' },
    }),
    words({
      title: 'In words',
      width: 12,
      content: [
        '```sh',
        'muster why $job -n $namespace      # what it waits for, or why it failed',
        'muster logs $job -n $namespace     # of all ranks, also after its end',
        `kubectl -n $namespace describe ${kind} $job`,
        '```',
      ].join('\n'),
    }),
  ];
}
