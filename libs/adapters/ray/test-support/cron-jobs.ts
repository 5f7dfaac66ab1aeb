/** Short notations for RayCronJobs and their runs. */
import type { RayCronJobSpec, RayJobSpec } from '@muster/job-api';
import type { CronRun } from '../src/cron-job/cron-run.ts';
import { runName } from '../src/cron-job/cron-run.ts';
import type { ObservedCronJob } from '../src/cron-job/cron-step.ts';

/** A Thursday. */
export const CREATED = '2026-01-01T00:00:00Z';

export const at = (time: string) => Date.parse(time);

export function cronSpec(spec: Partial<RayCronJobSpec> = {}): RayCronJobSpec {
  return { schedule: '0 * * * *', jobTemplate: JOB_TEMPLATE, ...spec };
}

export const JOB_TEMPLATE: RayJobSpec = {
  entrypoint: 'python train.py',
  submissionMode: 'HTTPMode',
  shutdownAfterJobFinishes: true,
  rayClusterSpec: {
    headGroupSpec: { template: { spec: { containers: [{ name: 'ray-head', image: 'ray:2.60.0' }] } } },
    workerGroupSpecs: [],
  },
};

export function run(tick: string, fields: Partial<CronRun> = {}): CronRun {
  const name = runName('nightly', at(tick));
  return { name, uid: `uid of ${name}`, tickMs: at(tick), isBeingDeleted: false, ...fields };
}

export const succeeded = (tick: string) => run(tick, { end: 'Succeeded', endMs: at(tick) + 60_000 });
export const failed = (tick: string) => run(tick, { end: 'Failed', endMs: at(tick) + 60_000 });

export function observedCron(
  now: string,
  {
    spec,
    ...observed
  }: Partial<Omit<ObservedCronJob, 'spec' | 'nowMs'>> & { readonly spec?: Partial<RayCronJobSpec> } = {},
): ObservedCronJob {
  return {
    name: 'nightly',
    record: {},
    createdMs: at(CREATED),
    wasSuspended: false,
    runs: [],
    ...observed,
    spec: cronSpec(spec),
    nowMs: at(now),
  };
}
