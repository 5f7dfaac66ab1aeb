/** Gauges of RayCronJobs, as kube-state-metrics has them for CronJobs. */
import type { MetricSet } from '../declaration.ts';

const OF_A_CRON_JOB = ['job_namespace', 'raycronjob'] as const;

export const RAY_CRON = {
  nextSchedule: {
    type: 'gauge',
    name: 'muster_raycronjob_next_schedule_timestamp_seconds',
    labels: OF_A_CRON_JOB,
    help: 'Scheduled time of the next RayJob. In the past while that RayJob cannot be created.',
    unit: 'timestamp',
    appears: 'A RayCronJob that is not suspended exists.',
  },
  lastSchedule: {
    type: 'gauge',
    name: 'muster_raycronjob_last_schedule_timestamp_seconds',
    labels: OF_A_CRON_JOB,
    help: 'Scheduled time of the last RayJob.',
    unit: 'timestamp',
    appears: 'A RayCronJob has created a RayJob.',
  },
  lastSuccess: {
    type: 'gauge',
    name: 'muster_raycronjob_last_success_timestamp_seconds',
    labels: OF_A_CRON_JOB,
    help: 'When a RayJob of a RayCronJob last succeeded.',
    unit: 'timestamp',
    appears: 'A RayJob of a RayCronJob has succeeded.',
  },
  lastMissed: {
    type: 'gauge',
    name: 'muster_raycronjob_last_missed_timestamp_seconds',
    labels: OF_A_CRON_JOB,
    help: 'The last scheduled time for which no RayJob was created.',
    unit: 'timestamp',
    appears: 'A RayCronJob has missed a run.',
  },
  activeRuns: {
    type: 'gauge',
    name: 'muster_raycronjob_active_runs',
    labels: OF_A_CRON_JOB,
    help: 'RayJobs of a RayCronJob that have not ended, up to 100.',
    unit: 'count',
    appears: 'At least one RayCronJob exists.',
  },
} as const satisfies MetricSet;
