/**
 * RayCluster of `ray.io/v1`, field for field as KubeRay defines it, with the rules of its webhook and those that its
 * operator applied only after admission. Differences are listed in docs/administrators/differences.md.
 *
 * Only the three counts of a worker group have defaults, because other programs read them. Few defaults mean few
 * differences for tools that compare manifests with stored objects, such as Argo CD.
 */
import type * as z from 'zod';
import { jobSchema } from './job-schema.ts';
import type { KindDefinition } from './kind-definition.ts';
import type { Resource } from './kubernetes.ts';
import { rayClusterSpecSchema } from './ray-cluster-spec.ts';
import { rayClusterStatusSchema } from './ray-cluster-status.ts';
import { rayNameRules } from './ray-name.ts';
import { RAY_CLUSTER_VOCABULARY } from './ray-vocabulary.ts';
import { withRules } from './rule.ts';

const rayClusterSchema = jobSchema(
  'ray.io/v1',
  'RayCluster',
  rayClusterSpecSchema.describe('Desired state of the cluster.'),
).extend({
  status: rayClusterStatusSchema.describe('Observed state of the cluster. Written by the operator.').exactOptional(),
});

/** A Ray cluster: a head and groups of workers. */
export type RayCluster = z.output<typeof rayClusterSchema>;

export const RAY_CLUSTERS: Resource<RayCluster> = {
  group: 'ray.io',
  version: 'v1',
  kind: 'RayCluster',
  plural: 'rayclusters',
  namespaced: true,
};

/** The kind, its schema, and how kubectl shows it. */
export const rayClusterDefinition: KindDefinition<RayCluster> = {
  resource: RAY_CLUSTERS,
  singular: 'raycluster',
  shortNames: [],
  vocabulary: RAY_CLUSTER_VOCABULARY,
  schema: withRules(rayClusterSchema, rayNameRules('cluster', 53)).describe(
    'A Ray cluster: a head and groups of workers.',
  ),
  printerColumns: [
    {
      name: 'desired workers',
      type: 'integer',
      jsonPath: '.status.desiredWorkerReplicas',
      description: 'Wanted number of worker pods.',
    },
    {
      name: 'available workers',
      type: 'integer',
      jsonPath: '.status.availableWorkerReplicas',
      description: 'Number of running worker pods.',
    },
    { name: 'cpus', type: 'string', jsonPath: '.status.desiredCPU', description: 'CPUs of all pods together.' },
    { name: 'memory', type: 'string', jsonPath: '.status.desiredMemory', description: 'Memory of all pods together.' },
    { name: 'gpus', type: 'string', jsonPath: '.status.desiredGPU', description: 'GPUs of all pods together.' },
    {
      name: 'tpus',
      type: 'string',
      jsonPath: '.status.desiredTPU',
      description: 'TPUs of all pods together.',
      wide: true,
    },
    { name: 'status', type: 'string', jsonPath: '.status.state', description: 'State of the cluster.' },
    {
      name: 'age',
      type: 'date',
      jsonPath: '.metadata.creationTimestamp',
      description: 'Time since the cluster was created.',
    },
    {
      name: 'head pod IP',
      type: 'string',
      jsonPath: '.status.head.podIP',
      description: 'IP address of the head pod.',
      wide: true,
    },
    {
      name: 'head service IP',
      type: 'string',
      jsonPath: '.status.head.serviceIP',
      description: "IP address of the head's Service.",
      wide: true,
    },
  ],
};
