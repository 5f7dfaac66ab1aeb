/** RayCronJobs that admission refuses or accepts. */
import { rayCronJobDefinition } from '../src/ray-cron-job.ts';
import type { AcceptedManifest, AdmissionTable, Manifest, RefusedManifest } from './admission-table.ts';
import { clusterSpec, group, jobSpec } from './ray-manifests.ts';

export const rayCronJob = (rest: object = {}, name = 'nightly'): Manifest => ({
  apiVersion: 'ray.io/v1',
  kind: 'RayCronJob',
  metadata: { name },
  spec: { schedule: '0 3 * * *', jobTemplate: jobSpec(), ...rest },
});

const FORM = 'must have five fields';

const schedules: RefusedManifest[] = [
  ['an empty schedule', '', FORM],
  ['a schedule of four fields', '0 3 * *', FORM],
  ['a schedule with seconds', '0 0 3 * * *', FORM],
  ['minute 60', '60 3 * * *', FORM],
  ['hour 24', '0 24 * * *', FORM],
  ['day of month 0', '0 3 0 * *', FORM],
  ['month 13', '0 3 * 13 *', FORM],
  ['an unknown name of a month', '0 3 * janu *', FORM],
  ['weekday 7', '0 3 * * 7', FORM],
  ['the last day of the month', '0 3 L * *', FORM],
  ['step 0', '*/0 * * * *', FORM],
  ['an unknown descriptor', '@fortnightly', FORM],
  ['a descriptor in upper case', '@DAILY', FORM],
  ['@every without a duration', '@every', FORM],
  ['@every with an unknown unit', '@every 2d', FORM],
  ['@every below a minute', '@every 59s', 'must be at least one minute'],
  ['a time zone in the schedule', 'TZ=Europe/Berlin 0 3 * * *', 'Forbidden: remove the time zone'],
  ['CRON_TZ in the schedule', 'CRON_TZ=UTC 0 3 * * *', 'Forbidden: remove the time zone'],
].map(([what = '', schedule, message = '']) => ({
  what,
  manifest: rayCronJob({ schedule }),
  path: 'spec.schedule',
  message,
}));

const others: RefusedManifest[] = [
  {
    what: 'no schedule',
    manifest: {
      apiVersion: 'ray.io/v1',
      kind: 'RayCronJob',
      metadata: { name: 'nightly' },
      spec: { jobTemplate: jobSpec() },
    },
    path: 'spec.schedule',
    message: 'Required value',
  },
  {
    what: 'no template',
    manifest: {
      apiVersion: 'ray.io/v1',
      kind: 'RayCronJob',
      metadata: { name: 'nightly' },
      spec: { schedule: '@daily' },
    },
    path: 'spec.jobTemplate',
    message: 'Required value',
  },
  ...['', 'Local'].map((timeZone) => ({
    what: `the time zone "${timeZone}"`,
    manifest: rayCronJob({ timeZone }),
    path: 'spec.timeZone',
    message: 'must be a time zone of the IANA database',
  })),
  {
    what: 'an unknown concurrency policy',
    manifest: rayCronJob({ concurrencyPolicy: 'Queue' }),
    path: 'spec.concurrencyPolicy',
    message: 'Unsupported value: "Queue": supported values: "Allow", "Forbid", "Replace"',
  },
  ...['startingDeadlineSeconds', 'successfulJobsHistoryLimit', 'failedJobsHistoryLimit'].map((field) => ({
    what: `a negative ${field}`,
    manifest: rayCronJob({ [field]: -1 }),
    path: `spec.${field}`,
    message: 'Invalid value: -1',
  })),
  {
    what: 'a template that is invalid as a RayJob',
    manifest: rayCronJob({ jobTemplate: jobSpec({ rayClusterSpec: undefined }) }),
    path: 'spec.jobTemplate.rayClusterSpec',
    message: 'Required value: set rayClusterSpec',
  },
  {
    what: 'a cluster in the template that is invalid as a RayCluster',
    manifest: rayCronJob({
      jobTemplate: jobSpec({
        rayClusterSpec: clusterSpec({ workerGroupSpecs: [group('small', { minReplicas: 2, maxReplicas: 1 })] }),
      }),
    }),
    path: 'spec.jobTemplate.rayClusterSpec.workerGroupSpecs[0].minReplicas',
    message: 'must not be greater than maxReplicas',
  },
  {
    what: 'a name over 36 characters',
    manifest: rayCronJob({}, 'a'.repeat(37)),
    path: 'metadata.name',
    message: 'metadata.name is too long: shorten it to 36 characters',
  },
];

const accepted: AcceptedManifest[] = [
  ...[
    '* * * * *',
    '*/15 0-6,22-23 1,15 jan-MAR,12 1-5',
    '05 03 ? * Sun',
    '5/15 * * * *',
    '  0\t3  * * 0 ',
    '0 3 30 2 *',
    '@yearly',
    '@annually',
    '@monthly',
    '@weekly',
    '@daily',
    '@midnight',
    '@hourly',
    '@every 1m',
    '@every 1h30m10.5s',
  ].map((schedule) => ({ what: `the schedule "${schedule}"`, manifest: rayCronJob({ schedule }) })),
  {
    what: 'all fields',
    manifest: rayCronJob({
      timeZone: 'Europe/Berlin',
      suspend: true,
      concurrencyPolicy: 'Replace',
      startingDeadlineSeconds: 0,
      successfulJobsHistoryLimit: 0,
      failedJobsHistoryLimit: 2,
    }),
  },
  { what: 'a name of 36 characters', manifest: rayCronJob({}, 'a'.repeat(36)) },
];

export const RAY_CRON_JOB_ADMISSION: AdmissionTable = {
  definition: rayCronJobDefinition,
  leastSpec: { schedule: '@daily', jobTemplate: jobSpec() },
  refused: [...schedules, ...others],
  accepted,
};
