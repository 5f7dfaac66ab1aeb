/** The kinds of one Ray operator: a RayCronJob owns RayJobs, and RayJobs and RayServices own RayClusters. */
import type { FrameworkAdapter } from '@muster/common-job-controller';
import { rayClusterAdapter } from './cluster/ray-cluster-adapter.ts';
import { rayCronJobAdapter } from './cron-job/ray-cron-job-adapter.ts';
import { rayJobAdapter } from './job/ray-job-adapter.ts';
import { rayServiceAdapter } from './service/ray-service-adapter.ts';
import type { RaySettings } from './cluster/ray-settings.ts';

export function rayAdapters(settings: Partial<RaySettings> = {}): readonly [FrameworkAdapter, ...FrameworkAdapter[]] {
  return [rayClusterAdapter(settings), rayJobAdapter(settings), rayCronJobAdapter(), rayServiceAdapter(settings)];
}
