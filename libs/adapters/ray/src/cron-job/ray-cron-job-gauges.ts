import { type JobGauge } from '@muster/common-job-controller';
import { momentOf, type RayCronJob } from '@muster/job-api';
import { RAY_CRON } from '@muster/metrics';
import { rayGauge } from '../model/ray-gauge.ts';

export const RAY_CRON_JOB_GAUGES: readonly JobGauge<RayCronJob>[] = [
  rayGauge(RAY_CRON.nextSchedule, timeOf('nextScheduleTime')),
  rayGauge(RAY_CRON.lastSchedule, timeOf('lastScheduleTime')),
  rayGauge(RAY_CRON.lastSuccess, timeOf('lastSuccessfulTime')),
  rayGauge(RAY_CRON.lastMissed, timeOf('lastMissedTime')),
  rayGauge(RAY_CRON.activeRuns, (cronJob: RayCronJob) => [
    { labels: labelsOf(cronJob), value: cronJob.status?.active?.length ?? 0 },
  ]),
];

type TimeField = 'nextScheduleTime' | 'lastScheduleTime' | 'lastSuccessfulTime' | 'lastMissedTime';

function timeOf(field: TimeField) {
  return (cronJob: RayCronJob) => {
    const ms = momentOf(cronJob.status?.[field]);
    return ms === undefined ? [] : [{ labels: labelsOf(cronJob), value: ms / 1000 }];
  };
}

function labelsOf({ metadata }: RayCronJob) {
  const { name = '', namespace = '' } = metadata ?? {};
  return { job_namespace: namespace, raycronjob: name };
}
