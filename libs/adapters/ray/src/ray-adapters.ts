/** The kinds of one Ray operator: a RayCronJob owns RayJobs, and a RayJob owns a RayCluster. */
import type { FrameworkAdapter } from '@muster/common-job-controller';
import { rayClusterAdapter } from './cluster/ray-cluster-adapter.ts';
import { rayCronJobAdapter } from './cron-job/ray-cron-job-adapter.ts';
import { rayJobAdapter } from './job/ray-job-adapter.ts';
import type { RaySettings } from './cluster/ray-settings.ts';

export function rayAdapters(settings: Partial<RaySettings> = {}): readonly [FrameworkAdapter, ...FrameworkAdapter[]] {
  return [rayClusterAdapter(settings), rayJobAdapter(settings), rayCronJobAdapter()];
}
