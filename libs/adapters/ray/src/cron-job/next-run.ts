/** The next run of a RayCronJob, for `muster plan`. */
import { newWorld, ownerReference } from '@muster/common-job-controller';
import { RAY_CRON_JOBS, type RayCronJob, type RayJob } from '@muster/job-api';
import { scheduledRun } from './cron-run.ts';
import { cronStep } from './cron-step.ts';
import { observedCronJob } from './observe-cron-job.ts';

/** As created for a new RayCronJob after `nowMs`, whether it is suspended or not. The manifest is valid, as stored. */
export function nextCronRun(cronJob: RayCronJob, nowMs: number): RayJob | undefined {
  const { metadata, spec } = cronJob;
  const { name = '', namespace = '', uid = '' } = metadata ?? {};
  const created: RayCronJob = { metadata: { name, namespace, uid }, spec: { ...spec, suspend: false } };
  const { nextMs } = cronStep(observedCronJob(created, newWorld(created, nowMs)));
  if (nextMs === undefined) return undefined;
  const run = scheduledRun(cronJob, nextMs);
  const owner = ownerReference({ resource: RAY_CRON_JOBS, metadata: { name, namespace, uid } });
  return { ...run, metadata: { ...run.metadata, ownerReferences: [owner] } };
}
