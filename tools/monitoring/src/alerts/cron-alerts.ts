/** Alerts about RayCronJobs. */
import { RAY_CRON } from '@muster/metrics';
import { secondsSince, valueOf } from '../promql/metric-query.ts';
import { RELEASE_MATCHERS, THRESHOLD, type Alert } from './alert.ts';

/** The kind whose operator exports their metrics. */
export const RAY_CRON_KIND = 'RayCronJob';

const OF_A_CRON_JOB = ['cluster', 'job_namespace', 'raycronjob'] as const;

export function cronAlerts(): readonly Alert[] {
  const late = secondsSince(RAY_CRON.nextSchedule, RELEASE_MATCHERS)
    .maxBy(...OF_A_CRON_JOB)
    .above(THRESHOLD);
  const lastSchedule = valueOf(RAY_CRON.lastSchedule, RELEASE_MATCHERS).maxBy(...OF_A_CRON_JOB);
  const lastMissed = valueOf(RAY_CRON.lastMissed, RELEASE_MATCHERS).maxBy(...OF_A_CRON_JOB);
  // A missed run that was followed by another one is over. Before the first run there is nothing to compare with.
  const missed = lastSchedule.belowThat(lastMissed).or(lastMissed.unless(lastSchedule));
  return [
    {
      name: 'MusterRayCronJobMissed',
      expression: late.or(missed),
      for: '1m',
      severity: 'warning',
      threshold: { value: 300, meaning: 'Seconds that a RayJob may be late.' },
      needs: 'perJob',
      summary: 'A RayCronJob does not create its RayJobs in time.',
      description:
        'RayCronJob {{ $labels.job_namespace }}/{{ $labels.raycronjob }} has missed its last run, or its next RayJob is late. ' +
        '"muster why" shows the cause: an earlier RayJob that runs (concurrencyPolicy Forbid), a quota, an invalid change.',
    },
  ];
}
