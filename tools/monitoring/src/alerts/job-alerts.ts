/** Alerts about jobs: those that wait, fail, or start over without end. */
import { JOBS, PER_JOB } from '@muster/metrics';
import { ELASTIC_ROLES } from '../elastic-roles.ts';
import { matching, notMatching } from '../promql/matchers.ts';
import { increase, valueOf } from '../promql/metric-query.ts';
import { OF_RELEASE, THRESHOLD, type Alert } from './alert.ts';

const OF_A_JOB = ['cluster', 'job_namespace', 'kind', 'job_name'] as const;
const JOB = '{{ $labels.kind }} {{ $labels.job_namespace }}/{{ $labels.job_name }}';

/** Reasons to wait by which somebody has decided so. */
const BY_DECISION = notMatching('Suspended|SchedulingGated');

/** @param title of the framework, as its users write it */
export function jobAlerts(title: string): readonly Alert[] {
  const failed = increase(JOBS.failed, OF_RELEASE, '1h').sumBy('cluster', 'job_namespace');
  const successful = increase(JOBS.successful, OF_RELEASE, '1h').sumBy('cluster', 'job_namespace');
  return [
    {
      name: 'MusterJobWaiting',
      expression: valueOf(PER_JOB.waiting, { ...OF_RELEASE, reason: BY_DECISION })
        .is(1)
        .maxBy(...OF_A_JOB, 'reason'),
      for: '1h',
      severity: 'warning',
      needs: 'perJob',
      summary: `A job of ${title} waits for long.`,
      description: `${JOB} has been waiting: {{ $labels.reason }}.`,
    },
    {
      name: 'MusterJobsFailing',
      // In a namespace without any success there is no series of successes.
      expression: failed.per(failed.plus(successful).or(failed)).above(THRESHOLD).and(failed.atLeast(3)),
      for: '15m',
      severity: 'warning',
      threshold: {
        value: 0.5,
        meaning: 'Share of the jobs that end within an hour that may fail; of fewer than three nothing is said.',
      },
      summary: `Many jobs of ${title} fail.`,
      description:
        '{{ $value | humanizePercentage }} of the jobs in {{ $labels.job_namespace }} that ended within an hour have failed.',
    },
    {
      name: 'MusterJobRestarting',
      // A job that is submitted again under its name starts at 0, and a pod that takes the lead goes on where the last one stopped.
      expression: increase(PER_JOB.restarts, OF_RELEASE, '30m')
        .maxBy(...OF_A_JOB, 'pod')
        .sumBy(...OF_A_JOB)
        .atLeast(THRESHOLD),
      for: '0s',
      severity: 'warning',
      threshold: { value: 5, meaning: 'Restarts of one job within half an hour that are too many.' },
      needs: 'perJob',
      summary: `A job of ${title} starts over again and again.`,
      description: `${JOB} was restarted {{ $value | printf "%.0f" }} times within half an hour.`,
    },
  ];
}

/** Alerts about jobs that tell how far they are. */
export function progressAlerts(title: string): readonly Alert[] {
  return [
    {
      name: 'MusterJobStalled',
      expression: valueOf(PER_JOB.stalled, OF_RELEASE)
        .is(1)
        .maxBy(...OF_A_JOB),
      for: '1m',
      severity: 'warning',
      needs: 'perJob',
      summary: `A job of ${title} makes no progress.`,
      description: `${JOB} runs and has made no progress for as long as its progressDeadlineSeconds.`,
    },
    {
      name: 'MusterJobProgressUnknown',
      expression: valueOf(PER_JOB.progressUnknown, OF_RELEASE)
        .is(1)
        .maxBy(...OF_A_JOB),
      for: '5m',
      severity: 'warning',
      needs: 'perJob',
      summary: `The progress of a job of ${title} is unknown.`,
      description:
        `No replica of ${JOB} has reported its progress to the operator for as long as its progressDeadlineSeconds. ` +
        'A hang would not be detected.',
    },
  ];
}

/** Alerts about jobs that change their size. */
export function elasticAlerts(title: string): readonly Alert[] {
  const started = valueOf(PER_JOB.state, { ...OF_RELEASE, state: matching('Running|Failing|Restarting') })
    .is(1)
    .maxBy(...OF_A_JOB);
  return [
    {
      name: 'MusterElasticBelowMinimum',
      expression: valueOf(PER_JOB.ready, { ...OF_RELEASE, ...ELASTIC_ROLES })
        .sumBy(...OF_A_JOB)
        .belowThat(valueOf(PER_JOB.elasticMin, OF_RELEASE).maxBy(...OF_A_JOB))
        .and(started),
      for: '15m',
      severity: 'warning',
      needs: 'perJob',
      summary: `An elastic job of ${title} is below its least size.`,
      description: `${JOB} has {{ $value }} elastic pods that are ready, fewer than it needs to go on.`,
    },
  ];
}
