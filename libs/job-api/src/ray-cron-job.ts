/**
 * RayCronJob of `ray.io/v1`: KubeRay's fields, and those of Kubernetes' CronJob that KubeRay lacks. Unset, they keep
 * KubeRay's behaviour. Differences are listed in docs/administrators/differences/raycronjob.md.
 */
import * as z from 'zod';
import { jobSchema } from './job-schema.ts';
import type { KindDefinition } from './kind-definition.ts';
import type { Resource } from './kubernetes.ts';
import { musterRecordSchema, rayConditionSchema } from './ray-cluster-status.ts';
import { cronScheduleSchema } from './ray-cron-schedule.ts';
import { rayJobTemplateSchema } from './ray-job-spec.ts';
import { rayNameRules } from './ray-name.ts';
import { RAY_CRON_JOB_VOCABULARY } from './ray-vocabulary.ts';
import { withRules } from './rule.ts';
import { count, longCount, time } from './scalars.ts';

export const RAY_CONCURRENCY_POLICIES = ['Allow', 'Forbid', 'Replace'] as const;

const timeZoneSchema = withRules(z.string(), [
  {
    cel: "self != '' && self != 'Local'",
    holds: (zone) => zone !== '' && zone !== 'Local',
    message: 'must be a time zone of the IANA database, such as Europe/Berlin: correct it, or remove it for UTC',
  },
]);

const specSchema = z.object({
  schedule: cronScheduleSchema.describe(
    'When RayJobs are created, in cron format: minute, hour, day of month, month and day of week, such as ' +
      '"0 3 * * 1-5"; or @hourly, @daily, @weekly, @monthly, @yearly, or "@every 90m". If both day fields are ' +
      'restricted, either of them has to match. A time that a clock change skips has no run; one that it repeats has two.',
  ),
  timeZone: timeZoneSchema
    .describe('Time zone of the schedule, from the IANA database, such as Europe/Berlin. Default: UTC.')
    .exactOptional(),
  suspend: z
    .boolean()
    .describe(
      'True: no RayJobs are created; existing ones are not changed. Times that pass meanwhile have no run. Default false.',
    )
    .exactOptional(),
  concurrencyPolicy: z
    .enum(RAY_CONCURRENCY_POLICIES)
    .describe(
      'What happens if an earlier RayJob has not ended. Allow: the next one is created. Forbid: the next one is created ' +
        'when the earlier one has ended, unless startingDeadlineSeconds have passed. Replace: the earlier one is ' +
        'deleted. Default Allow.',
    )
    .exactOptional(),
  startingDeadlineSeconds: longCount()
    .describe('A RayJob that could not be created within this many seconds of its time is missed. Default: no limit.')
    .exactOptional(),
  successfulJobsHistoryLimit: count()
    .describe('Number of succeeded RayJobs to keep; older ones are deleted. Default: all.')
    .exactOptional(),
  failedJobsHistoryLimit: count()
    .describe('Number of failed RayJobs to keep; older ones are deleted. Default: all.')
    .exactOptional(),
  jobTemplate: rayJobTemplateSchema.describe('Spec of the RayJobs. A change affects only later RayJobs.'),
});

export type RayCronJobSpec = z.output<typeof specSchema>;

const activeRunSchema = z.object({
  name: z.string().describe('Name of the RayJob.'),
  uid: z.string().describe('UID of the RayJob.').exactOptional(),
});

const statusSchema = z.object({
  lastScheduleTime: time().describe('Scheduled time of the last RayJob.').exactOptional(),
  lastSuccessfulTime: time().describe('When a RayJob last succeeded.').exactOptional(),
  nextScheduleTime: time()
    .describe('Scheduled time of the next RayJob. In the past while that RayJob cannot be created.')
    .exactOptional(),
  lastMissedTime: time().describe('The last scheduled time for which no RayJob was created.').exactOptional(),
  active: z
    .array(activeRunSchema)
    .describe('RayJobs that have not ended, the oldest first; at most 100.')
    .exactOptional(),
  observedSchedule: z.string().describe('The schedule and time zone that scheduleStartTime refers to.').exactOptional(),
  scheduleStartTime: time()
    .describe(
      'Earlier times have no run: when the schedule was last changed, or the RayCronJob resumed. Default: its creation.',
    )
    .exactOptional(),
  conditions: z.array(rayConditionSchema).describe('Scheduled and ReplicaFailure, each once.').exactOptional(),
  observedGeneration: z.int().describe('The generation of the RayCronJob that this status refers to.').exactOptional(),
  muster: musterRecordSchema,
});

export type RayCronJobStatus = z.output<typeof statusSchema>;

const rayCronJobSchema = jobSchema('ray.io/v1', 'RayCronJob', specSchema.describe('Desired state.')).extend({
  status: statusSchema.describe('Observed state. Written by the operator.').exactOptional(),
});

/** Creates RayJobs by a schedule. */
export type RayCronJob = z.output<typeof rayCronJobSchema>;

export const RAY_CRON_JOBS: Resource<RayCronJob> = {
  group: 'ray.io',
  version: 'v1',
  kind: 'RayCronJob',
  plural: 'raycronjobs',
  namespaced: true,
};

/** A run's name is `<name>-<minutes since 1970>`, and that of a RayJob is limited. */
const MOST_CHARACTERS = 36;

/** The kind, its schema, and how kubectl shows it. */
export const rayCronJobDefinition: KindDefinition<RayCronJob> = {
  resource: RAY_CRON_JOBS,
  singular: 'raycronjob',
  shortNames: [],
  vocabulary: RAY_CRON_JOB_VOCABULARY,
  schema: withRules(rayCronJobSchema, rayNameRules('job', MOST_CHARACTERS)).describe('Creates RayJobs by a schedule.'),
  printerColumns: [
    { name: 'schedule', type: 'string', jsonPath: '.spec.schedule', description: 'When RayJobs are created.' },
    { name: 'timezone', type: 'string', jsonPath: '.spec.timeZone', description: 'Time zone of the schedule.' },
    {
      name: 'last schedule',
      type: 'string',
      jsonPath: '.status.lastScheduleTime',
      description: 'Scheduled time of the last RayJob.',
    },
    {
      name: 'age',
      type: 'date',
      jsonPath: '.metadata.creationTimestamp',
      description: 'Time since the RayCronJob was created.',
    },
    { name: 'suspend', type: 'boolean', jsonPath: '.spec.suspend', description: 'Whether no RayJobs are created.' },
    {
      name: 'next schedule',
      type: 'string',
      jsonPath: '.status.nextScheduleTime',
      description: 'Scheduled time of the next RayJob.',
      wide: true,
    },
    {
      name: 'message',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="Scheduled")].message',
      description: 'What happens next, or why nothing does.',
      wide: true,
    },
  ],
};
