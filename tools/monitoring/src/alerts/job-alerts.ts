/** Alerts about jobs that wait, fail, or are restarted repeatedly. */
import { JOBS, PER_JOB } from '@muster/metrics';
import { ELASTIC_ROLES } from '../elastic-roles.ts';
import { matching, notMatching } from '../promql/matchers.ts';
import { increase, valueOf } from '../promql/metric-query.ts';
import { RELEASE_MATCHERS, THRESHOLD, type Alert } from './alert.ts';

const OF_A_JOB = ['cluster', 'job_namespace', 'kind', 'job_name'] as const;
const JOB = '{{ $labels.kind }} {{ $labels.job_namespace }}/{{ $labels.job_name }}';

/** Excludes jobs that wait by a decision of a user or a controller. */
const BY_DECISION = notMatching('Suspended|SchedulingGated');

/** @param title of the framework */
export function jobAlerts(title: string): readonly Alert[] {
  const failed = increase(JOBS.failed, RELEASE_MATCHERS, '1h').sumBy('cluster', 'job_namespace');
  const successful = increase(JOBS.successful, RELEASE_MATCHERS, '1h').sumBy('cluster', 'job_namespace');
  return [
    {
      name: 'MusterJobWaiting',
      expression: valueOf(PER_JOB.waiting, { ...RELEASE_MATCHERS, reason: BY_DECISION })
        .is(1)
        .maxBy(...OF_A_JOB, 'reason'),
      for: '1h',
      severity: 'warning',
      needs: 'perJob',
      summary: `A job of ${title} has been waiting too long.`,
      description: `${JOB} has been waiting with reason {{ $labels.reason }}. "muster why" shows the cause and the next step.`,
    },
    {
      name: 'MusterJobsFailing',
      // A namespace without successful jobs may have no series of them.
      expression: failed.per(failed.plus(successful).or(failed)).above(THRESHOLD).and(failed.atLeast(3)),
      for: '15m',
      severity: 'warning',
      threshold: {
        value: 0.5,
        meaning:
          'Share of the jobs ended within an hour that may fail, from 0 to 1. At least three jobs must have failed.',
        isShare: true,
      },
      summary: `Many jobs of ${title} in one namespace fail.`,
      description:
        '{{ $value | humanizePercentage }} of the jobs in namespace {{ $labels.job_namespace }} that ended within an hour have failed. ' +
        'The cause may be one that they share, such as an image, storage or a node. Compare their first failures.',
    },
    goodputAlert(title),
    {
      name: 'MusterJobRestarting',
      // A job that is created again under its name restarts at 0. A new leader continues from the count in the status.
      expression: increase(PER_JOB.restarts, RELEASE_MATCHERS, '30m')
        .maxBy(...OF_A_JOB, 'pod')
        .sumBy(...OF_A_JOB)
        .atLeast(THRESHOLD),
      for: '0s',
      severity: 'warning',
      threshold: { value: 5, meaning: 'Restarts of one job within 30 minutes at which the alert fires.' },
      needs: 'perJob',
      summary: `A job of ${title} is restarted repeatedly.`,
      description: `${JOB} was restarted {{ $value | printf "%.0f" }} times within 30 minutes. "muster why" shows which pod fails, and its error.`,
    },
  ];
}

function goodputAlert(title: string): Alert {
  return {
    name: 'MusterJobGoodputLow',
    expression: valueOf(PER_JOB.goodput, RELEASE_MATCHERS)
      .maxBy(...OF_A_JOB)
      .below(THRESHOLD)
      .and(
        valueOf(PER_JOB.state, { ...RELEASE_MATCHERS, state: matching('Running|Failing|Restarting') })
          .is(1)
          .maxBy(...OF_A_JOB),
      ),
    for: '1h',
    severity: 'warning',
    threshold: {
      value: 0.5,
      meaning: 'Share of productive time, from 0 to 1, below which the alert fires for a job that has started.',
      isShare: true,
    },
    needs: 'perJob',
    summary: `A job of ${title} loses most of its time.`,
    description: `Only {{ $value | humanizePercentage }} of the time of ${JOB} was productive. "muster goodput" shows where the rest went.`,
  };
}

/** Alerts about jobs that report their progress. */
export function progressAlerts(title: string): readonly Alert[] {
  return [
    {
      name: 'MusterJobStalled',
      expression: valueOf(PER_JOB.stalled, RELEASE_MATCHERS)
        .is(1)
        .maxBy(...OF_A_JOB),
      for: '1m',
      severity: 'warning',
      needs: 'perJob',
      summary: `A job of ${title} makes no progress.`,
      description: `${JOB} runs, but has made no progress for its progressDeadlineSeconds. "muster why" shows which replica is behind.`,
    },
    {
      name: 'MusterJobProgressUnknown',
      expression: valueOf(PER_JOB.progressUnknown, RELEASE_MATCHERS)
        .is(1)
        .maxBy(...OF_A_JOB),
      for: '5m',
      severity: 'warning',
      needs: 'perJob',
      summary: `The progress of a job of ${title} is unknown.`,
      description:
        `No replica of ${JOB} has reported its progress for its progressDeadlineSeconds, so a hang is not detected. ` +
        'Check that the operator can reach the pods, and that the program responds.',
    },
  ];
}

/** Alerts about elastic jobs. */
export function elasticAlerts(title: string): readonly Alert[] {
  const started = valueOf(PER_JOB.state, { ...RELEASE_MATCHERS, state: matching('Running|Failing|Restarting') })
    .is(1)
    .maxBy(...OF_A_JOB);
  return [
    {
      name: 'MusterElasticBelowMinimum',
      expression: valueOf(PER_JOB.ready, { ...RELEASE_MATCHERS, ...ELASTIC_ROLES })
        .sumBy(...OF_A_JOB)
        .belowThat(valueOf(PER_JOB.elasticMin, RELEASE_MATCHERS).maxBy(...OF_A_JOB))
        .and(started),
      for: '15m',
      severity: 'warning',
      needs: 'perJob',
      summary: `An elastic job of ${title} is below its minimum size.`,
      description: `${JOB} has {{ $value }} ready elastic pods, fewer than its minimum, and makes no progress. Check for unschedulable or failing workers.`,
    },
  ];
}
