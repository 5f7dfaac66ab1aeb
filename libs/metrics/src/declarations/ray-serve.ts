/** Gauges of RayServices, in addition to those of KubeRay. */
import type { MetricSet } from '../declaration.ts';

const OF_A_SERVICE = ['job_namespace', 'rayservice'] as const;

export const RAY_SERVE = {
  endpoints: {
    type: 'gauge',
    name: 'muster_rayservice_endpoints',
    labels: OF_A_SERVICE,
    help: 'Ready pods that get requests through the serve Service. Absent while the service is suspended.',
    unit: 'count',
    appears: 'A RayService that is not suspended exists.',
  },
  upgradeStart: {
    type: 'gauge',
    name: 'muster_rayservice_upgrade_start_timestamp_seconds',
    labels: OF_A_SERVICE,
    help: 'Since when a RayService has an active and a pending cluster.',
    unit: 'timestamp',
    appears: 'An upgrade is in progress.',
  },
} as const satisfies MetricSet;
