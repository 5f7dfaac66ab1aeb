/** Spec of a RayJob. */
import * as z from 'zod';
import { podTemplateSchema } from './pod-template.ts';
import { rayClusterSpecSchema } from './ray-cluster-spec.ts';
import { DELETION_RULES, deletionStrategySchema } from './ray-job-deletion.ts';
import { RAY_JOB_RULES } from './ray-job-rules.ts';
import { managedByIsImmutable, rayManagedBySchema } from './ray-managed-by.ts';
import { acceptingExistingViolations, withRules } from './rule.ts';
import { count } from './scalars.ts';

export const RAY_SUBMISSION_MODES = ['K8sJobMode', 'HTTPMode', 'SidecarMode', 'InteractiveMode'] as const;

export type RaySubmissionMode = (typeof RAY_SUBMISSION_MODES)[number];

const fieldsSchema = z.object({
  entrypoint: z
    .string()
    .describe(
      'Command that Ray runs. Ignored in InteractiveMode, and if the first container of submitterPodTemplate ' +
        'has a command, which then submits the job itself.',
    )
    .exactOptional(),
  submissionMode: z
    .enum(RAY_SUBMISSION_MODES)
    .default('K8sJobMode')
    .describe(
      'How the job is submitted to Ray. K8sJobMode: by a Kubernetes Job, whose log is that of the entrypoint. ' +
        'HTTPMode: by the operator. SidecarMode: by a container in the head pod. InteractiveMode: by you; write ' +
        'the ID of the Ray job to spec.jobId. Default K8sJobMode.',
    ),
  runtimeEnvYAML: z
    .string()
    .describe('Runtime environment of the job (pip, env_vars, working_dir, …), as a YAML string.')
    .exactOptional(),
  jobId: z.string().describe('ID of the job in Ray. Default: generated from the name.').exactOptional(),
  metadata: z.record(z.string(), z.string()).describe('Metadata that Ray stores with the job.').exactOptional(),
  entrypointNumCpus: z.number().min(0).describe('CPUs that Ray reserves for the entrypoint itself.').exactOptional(),
  entrypointNumGpus: z.number().min(0).describe('GPUs that Ray reserves for the entrypoint itself.').exactOptional(),
  entrypointResources: z
    .string()
    .describe('Other resources that Ray reserves for the entrypoint itself, as a JSON string.')
    .exactOptional(),
  rayClusterSpec: rayClusterSpecSchema
    .describe('Cluster that is created for the job. Set either this or clusterSelector. Later changes have no effect.')
    .exactOptional(),
  clusterSelector: z
    .record(z.string(), z.string())
    .describe('Existing cluster, by the label ray.io/cluster: its name.')
    .exactOptional(),
  submitterPodTemplate: podTemplateSchema()
    .describe("Template of the pod that submits the job in K8sJobMode. Default: one container with the head's image.")
    .exactOptional(),
  submitterConfig: z
    .object({
      backoffLimit: count().describe('How often a failed submitter is retried. Default 2.').exactOptional(),
    })
    .describe('Options of the submitter.')
    .exactOptional(),
  shutdownAfterJobFinishes: z
    .boolean()
    .describe('Whether the cluster is deleted after the job has ended. Default false.')
    .exactOptional(),
  ttlSecondsAfterFinished: count()
    .describe('Seconds from the end of the job until its cluster is deleted. Default 0.')
    .exactOptional(),
  activeDeadlineSeconds: z
    .int32()
    .min(1)
    .describe('The job fails if it is active for more than this many seconds. Default: no limit.')
    .exactOptional(),
  preRunningDeadlineSeconds: z
    .int32()
    .min(1)
    .describe('The job fails if it does not run this many seconds after its start. Default: no limit.')
    .exactOptional(),
  backoffLimit: count()
    .describe('How often a failed job is retried, each time with a new cluster. Default 0.')
    .exactOptional(),
  suspend: z
    .boolean()
    .describe('True suspends the job: its cluster is deleted. False starts it from the beginning. Default false.')
    .exactOptional(),
  managedBy: rayManagedBySchema('job').exactOptional(),
  deletionStrategy: deletionStrategySchema
    .describe('What is deleted after the job has ended, and when. Replaces shutdownAfterJobFinishes.')
    .exactOptional(),
});

const RULES = acceptingExistingViolations<z.output<typeof fieldsSchema>>([...RAY_JOB_RULES, ...DELETION_RULES]);

export const rayJobSpecSchema = withRules(fieldsSchema, [...RULES, managedByIsImmutable('job')]);

/** As a template of RayJobs: a change concerns only later jobs, so no field is immutable. */
export const rayJobTemplateSchema = withRules(fieldsSchema, RULES);

export type RayJobSpec = z.output<typeof rayJobSpecSchema>;
