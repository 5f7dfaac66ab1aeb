/**
 * Fields of v1alpha1 MPIJobs: the size as a number of processing units or of workers, and one template for all pods.
 */
import * as z from 'zod';
import { rulesOf, type MPIGeneration } from './mpi-generation.ts';
import { podTemplateSchema } from './pod-template.ts';
import { MAX_REPLICAS, replicasSchema } from './replica-spec.ts';
import { withRules, type Rule } from './rule.ts';
import { count, longCount } from './scalars.ts';

/** A resource that a container can have, or nothing for the operator's default. */
const RESOURCE_NAME =
  '^(cpu|memory|ephemeral-storage|hugepages-[A-Za-z0-9]+|[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$';

/** There are at least as many units as workers. */
const units = () => z.int32().min(1).max(MAX_REPLICAS);

export const MPI_V1ALPHA1_FIELDS = {
  gpus: units()
    .describe(
      'v1alpha1 only: total number of GPUs. Must be a multiple of gpusPerNode, or less than it, because whole ' +
        'nodes are filled. One of gpus, processingUnits and replicas is required.',
    )
    .exactOptional(),
  gpusPerNode: units()
    .describe('v1alpha1 only: GPUs per node. Default: --gpus-per-node of the operator.')
    .exactOptional(),
  processingUnits: units()
    .describe('v1alpha1 only: total number of units of processingResourceType, with the same rules as gpus.')
    .exactOptional(),
  processingUnitsPerNode: units()
    .describe('v1alpha1 only: units per node. Default: --processing-units-per-node of the operator.')
    .exactOptional(),
  processingResourceType: withRules(z.string().max(317), [
    {
      cel: `self.matches('${RESOURCE_NAME}')`,
      holds: (self) => new RegExp(RESOURCE_NAME).test(self),
      message:
        'must be cpu, memory, ephemeral-storage or the name of an extended resource with its domain, such as nvidia.com/gpu',
    },
  ])
    .describe(
      'v1alpha1 only: the resource to count: nvidia.com/gpu, cpu or any other resource of the cluster. ' +
        'Default: --processing-resource-type of the operator.',
    )
    .exactOptional(),
  replicas: replicasSchema(
    1,
    'v1alpha1 only: number of workers. The limits of the template set the units of each worker. One of gpus, ' +
      'processingUnits and replicas is required.',
  ).exactOptional(),
  template: podTemplateSchema()
    .describe('v1alpha1 only, required there: template of the launcher and of the workers.')
    .exactOptional(),
  launcherOnMaster: z
    .boolean()
    .describe('v1alpha1 only: the launcher must run on a control plane node. Default false.')
    .exactOptional(),
  backoffLimit: count()
    .describe('v1alpha1 only: how often the launcher is retried. runPolicy.backoffLimit takes precedence.')
    .exactOptional(),
  activeDeadlineSeconds: longCount()
    .describe(
      'v1alpha1 only: how many seconds the job may be active. runPolicy.activeDeadlineSeconds takes precedence.',
    )
    .exactOptional(),
};

interface V1alpha1Spec {
  readonly apiGeneration: MPIGeneration;
  readonly gpus?: number;
  readonly gpusPerNode?: number;
  readonly processingUnits?: number;
  readonly processingUnitsPerNode?: number;
  readonly replicas?: number;
  readonly template?: unknown;
}

const SIZES = ['gpus', 'processingUnits', 'replicas'] as const;

type Size = (typeof SIZES)[number];

const ANOTHER_API = 'for mpiReplicaSpecs, use the apiVersion kubeflow.org/v1 or kubeflow.org/v2beta1';

/** Refuses `size` next to any of `others`. */
function alone(size: Size, others: readonly Size[]): Rule<V1alpha1Spec> {
  return {
    cel: `!has(self.${size}) || !(${others.map((other) => `has(self.${other})`).join(' || ')})`,
    holds: (self) => self[size] === undefined || others.every((other) => self[other] === undefined),
    message: `remove it or ${others.join(' and ')}: a v1alpha1 MPIJob has one of these fields`,
    reason: 'FieldValueForbidden',
    at: [size],
  };
}

export const MPI_V1ALPHA1_RULES: readonly Rule<V1alpha1Spec>[] = rulesOf<V1alpha1Spec>(
  ['v1alpha1'],
  [
    {
      cel: SIZES.map((size) => `has(self.${size})`).join(' || '),
      holds: (self) => SIZES.some((size) => self[size] !== undefined),
      message: `set the size of the job by gpus, processingUnits or replicas; ${ANOTHER_API}`,
      reason: 'FieldValueRequired',
      at: ['gpus'],
    },
    alone('gpus', ['processingUnits', 'replicas']),
    alone('processingUnits', ['replicas']),
    {
      cel: 'has(self.template)',
      holds: (self) => self.template !== undefined,
      message: `set spec.template, the template of the pods; ${ANOTHER_API}`,
      reason: 'FieldValueRequired',
      at: ['template'],
    },
  ],
);
