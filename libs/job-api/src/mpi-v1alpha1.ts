/**
 * What only an MPIJob of v1alpha1 has: the job's size as a number of processing units or of workers, and one template for
 * all pods.
 */
import * as z from 'zod';
import { rulesOf, type MPIGeneration } from './mpi-generation.ts';
import { podTemplateSchema } from './pod-template.ts';
import { MOST_REPLICAS, replicasSchema } from './replica-spec.ts';
import type { Rule } from './rule.ts';
import { count, longCount } from './scalars.ts';

/** Of units there are as many as workers, or more. */
const units = () => z.int32().min(1).max(MOST_REPLICAS);

export const MPI_V1ALPHA1_FIELDS = {
  gpus: units()
    .describe(
      'v1alpha1 only: how many GPUs the job has in all. Whole nodes are filled, so it has to be a multiple of gpusPerNode, unless ' +
        'it is less. One of gpus, processingUnits and replicas has to be given.',
    )
    .exactOptional(),
  gpusPerNode: units()
    .describe("v1alpha1 only: how many GPUs a node has. Default: the operator's setting.")
    .exactOptional(),
  processingUnits: units()
    .describe('v1alpha1 only: how many units of processingResourceType the job has in all, as gpus says it of GPUs.')
    .exactOptional(),
  processingUnitsPerNode: units()
    .describe("v1alpha1 only: how many of these units a node has. Default: the operator's setting.")
    .exactOptional(),
  processingResourceType: z
    .string()
    .describe(
      "v1alpha1 only: the resource that is counted: nvidia.com/gpu, cpu or any other of the cluster's resources. Default: " +
        "the operator's setting.",
    )
    .exactOptional(),
  replicas: replicasSchema(
    1,
    "v1alpha1 only: how many pods compute. How many units each of them has, its template's limits say. One of gpus, " +
      'processingUnits and replicas has to be given.',
  ).exactOptional(),
  template: podTemplateSchema()
    .describe('v1alpha1 only, and required there: what the launcher and the workers are made from.')
    .exactOptional(),
  launcherOnMaster: z
    .boolean()
    .describe('v1alpha1 only: the launcher has to run on a node of the control plane. Default false.')
    .exactOptional(),
  backoffLimit: count()
    .describe('v1alpha1 only: how often the launcher is tried again. That of runPolicy takes precedence.')
    .exactOptional(),
  activeDeadlineSeconds: longCount()
    .describe('v1alpha1 only: how long the job may be active. That of runPolicy takes precedence.')
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

const ANOTHER_API = 'a job with mpiReplicaSpecs has the apiVersion kubeflow.org/v1 or kubeflow.org/v2beta1';

/** Refuses `size` next to any of `others`. */
function alone(size: Size, others: readonly Size[]): Rule<V1alpha1Spec> {
  return {
    cel: `!has(self.${size}) || !(${others.map((other) => `has(self.${other})`).join(' || ')})`,
    holds: (self) => self[size] === undefined || others.every((other) => self[other] === undefined),
    message: `remove it or ${others.join(' and ')}: a v1alpha1 MPIJob says its size once`,
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
      message: `say how large the job is, by gpus, processingUnits or replicas; ${ANOTHER_API}`,
      reason: 'FieldValueRequired',
      at: ['gpus'],
    },
    alone('gpus', ['processingUnits', 'replicas']),
    alone('processingUnits', ['replicas']),
    {
      cel: 'has(self.template)',
      holds: (self) => self.template !== undefined,
      message: `describe the pods in spec.template; ${ANOTHER_API}`,
      reason: 'FieldValueRequired',
      at: ['template'],
    },
  ],
);
