/** What a RayJob is to run, where, and what becomes of it afterwards. */
import * as z from 'zod';
import { podTemplateSchema } from './pod-template.ts';
import { rayClusterSpecSchema } from './ray-cluster-spec.ts';
import { DELETION_RULES, deletionStrategySchema } from './ray-job-deletion.ts';
import { RAY_JOB_RULES } from './ray-job-rules.ts';
import { managedByIsImmutable, rayManagedBySchema } from './ray-managed-by.ts';
import { unlessBrokenBefore, withRules } from './rule.ts';
import { count } from './scalars.ts';

export const RAY_SUBMISSION_MODES = ['K8sJobMode', 'HTTPMode', 'SidecarMode', 'InteractiveMode'] as const;

export type RaySubmissionMode = (typeof RAY_SUBMISSION_MODES)[number];

const fieldsSchema = z.object({
  entrypoint: z
    .string()
    .describe(
      'The command that Ray runs. Not read in InteractiveMode, nor where the first container of submitterPodTemplate has a command: ' +
        'that submits the job itself.',
    )
    .exactOptional(),
  submissionMode: z
    .enum(RAY_SUBMISSION_MODES)
    .default('K8sJobMode')
    .describe(
      'Who submits the job to Ray. K8sJobMode: a Job, whose log is that of the entrypoint. HTTPMode: the operator. SidecarMode: a ' +
        'container in the head pod. InteractiveMode: you, and then write its id to spec.jobId.',
    ),
  runtimeEnvYAML: z
    .string()
    .describe('The runtime environment of the job (pip, env_vars, working_dir, …), as a text in YAML.')
    .exactOptional(),
  jobId: z.string().describe('The id that the job has in Ray. Default: one is made of the name.').exactOptional(),
  metadata: z.record(z.string(), z.string()).describe('What Ray keeps with the job.').exactOptional(),
  entrypointNumCpus: z
    .number()
    .min(0)
    .describe('How many CPUs Ray reserves for the entrypoint itself.')
    .exactOptional(),
  entrypointNumGpus: z
    .number()
    .min(0)
    .describe('How many GPUs Ray reserves for the entrypoint itself.')
    .exactOptional(),
  entrypointResources: z
    .string()
    .describe('Which other resources Ray reserves for the entrypoint itself, as a text in JSON.')
    .exactOptional(),
  rayClusterSpec: rayClusterSpecSchema
    .describe('The cluster that is made for the job; either this or clusterSelector. Changes have no effect on it.')
    .exactOptional(),
  clusterSelector: z
    .record(z.string(), z.string())
    .describe('A cluster that is there already, by the label ray.io/cluster: its name.')
    .exactOptional(),
  submitterPodTemplate: podTemplateSchema()
    .describe("The pod that submits the job in K8sJobMode. Default: one container with the head's image.")
    .exactOptional(),
  submitterConfig: z
    .object({
      backoffLimit: count()
        .describe('How often the submitter is started again when it has failed. Default 2.')
        .exactOptional(),
    })
    .describe('How the submitter runs.')
    .exactOptional(),
  shutdownAfterJobFinishes: z
    .boolean()
    .describe('Whether the cluster is deleted once the job has ended. Default false.')
    .exactOptional(),
  ttlSecondsAfterFinished: count()
    .describe('The cluster is deleted this many seconds after the job has ended. Default 0.')
    .exactOptional(),
  activeDeadlineSeconds: z
    .int32()
    .min(1)
    .describe('The job fails when it has been active for this many seconds. Default: no limit.')
    .exactOptional(),
  preRunningDeadlineSeconds: z
    .int32()
    .min(1)
    .describe('The job fails when it does not run this many seconds after its start. Default: no limit.')
    .exactOptional(),
  backoffLimit: count()
    .describe('How often the job is tried again when it has failed, each time with a new cluster. Default 0.')
    .exactOptional(),
  suspend: z
    .boolean()
    .describe('True stops the job: its cluster is deleted. Back to false, it starts from the beginning. Default false.')
    .exactOptional(),
  managedBy: rayManagedBySchema('job').exactOptional(),
  deletionStrategy: deletionStrategySchema
    .describe('What is deleted once the job has ended, and when, in place of shutdownAfterJobFinishes.')
    .exactOptional(),
});

export const rayJobSpecSchema = withRules(fieldsSchema, [
  ...unlessBrokenBefore<z.output<typeof fieldsSchema>>([...RAY_JOB_RULES, ...DELETION_RULES]),
  managedByIsImmutable('job'),
]);

export type RayJobSpec = z.output<typeof rayJobSpecSchema>;
