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
import { RAY_JOB_VOCABULARY } from './ray-vocabulary.ts';
import { withRules } from './rule.ts';

const rayJobSchema = jobSchema('ray.io/v1', 'RayJob', rayJobSpecSchema.describe('Desired state of the job.')).extend({
  status: rayJobStatusSchema.describe('Observed state of the job. Written by the operator.').exactOptional(),
});

/** A Ray job, on its own cluster or on an existing one. */
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
  vocabulary: RAY_JOB_VOCABULARY,
  schema: withRules(rayJobSchema, rayNameRules('job', 47)).describe(
    'A Ray job, on its own cluster or on an existing one.',
  ),
  printerColumns: [
    { name: 'job status', type: 'string', jsonPath: '.status.jobStatus', description: 'Status of the job in Ray.' },
    {
      name: 'deployment status',
      type: 'string',
      jsonPath: '.status.jobDeploymentStatus',
      description: 'State of the RayJob.',
    },
    {
      name: 'ray cluster name',
      type: 'string',
      jsonPath: '.status.rayClusterName',
      description: 'Name of the cluster that the job runs on.',
    },
    { name: 'start time', type: 'string', jsonPath: '.status.startTime', description: 'When the job was started.' },
    { name: 'end time', type: 'string', jsonPath: '.status.endTime', description: 'When the job ended.' },
    {
      name: 'age',
      type: 'date',
      jsonPath: '.metadata.creationTimestamp',
      description: 'Time since the job was created.',
    },
  ],
};
