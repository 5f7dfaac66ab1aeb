/**
 * RayJob of `ray.io/v1`, field for field as KubeRay defines it, with the rules that its operator applied only after
 * admission. Differences are listed in docs/administrators/differences.md.
 */
import type * as z from 'zod';
import { jobSchema } from './job-schema.ts';
import type { KindDefinition } from './kind-definition.ts';
import type { Resource } from './kubernetes.ts';
import { rayJobSpecSchema } from './ray-job-spec.ts';
import { rayJobStatusSchema } from './ray-job-status.ts';
import { rayNameRules } from './ray-name.ts';
import { RAY_JOB_WORDS } from './ray-words.ts';
import { withRules } from './rule.ts';

const rayJobSchema = jobSchema('ray.io/v1', 'RayJob', rayJobSpecSchema.describe('What is to be run.')).extend({
  status: rayJobStatusSchema.describe('How the job is doing. Written by the operator.').exactOptional(),
});

/** A job on a Ray cluster of its own, or on one that is there. */
export type RayJob = z.output<typeof rayJobSchema>;

export const RAY_JOBS: Resource<RayJob> = {
  group: 'ray.io',
  version: 'v1',
  kind: 'RayJob',
  plural: 'rayjobs',
  namespaced: true,
};

/** The kind, its schema, and how kubectl shows it. */
export const rayJobDefinition: KindDefinition<RayJob> = {
  resource: RAY_JOBS,
  singular: 'rayjob',
  shortNames: [],
  words: RAY_JOB_WORDS,
  schema: withRules(rayJobSchema, rayNameRules('job', 47)).describe(
    'A job on a Ray cluster of its own, or on one that is there.',
  ),
  printerColumns: [
    { name: 'job status', type: 'string', jsonPath: '.status.jobStatus', description: 'What Ray says of the job.' },
    {
      name: 'deployment status',
      type: 'string',
      jsonPath: '.status.jobDeploymentStatus',
      description: 'How far the RayJob is.',
    },
    {
      name: 'ray cluster name',
      type: 'string',
      jsonPath: '.status.rayClusterName',
      description: 'The cluster that it runs on.',
    },
    { name: 'start time', type: 'string', jsonPath: '.status.startTime', description: 'When it was started.' },
    { name: 'end time', type: 'string', jsonPath: '.status.endTime', description: 'When it ended.' },
    {
      name: 'age',
      type: 'date',
      jsonPath: '.metadata.creationTimestamp',
      description: 'How long ago the job was created.',
    },
  ],
};
