/**
 * RayCluster of `ray.io/v1`, field for field as KubeRay defines it, with the rules of its webhook and those that its
 * operator applied only after admission. Differences are listed in docs/administrators/differences.md.
 *
 * Where a manifest says nothing, only the three counts of a worker group are filled in, since others read them: who compares
 * manifests with what is stored, as Argo CD does, finds as few differences as can be.
 */
import type * as z from 'zod';
import { jobSchema } from './job-schema.ts';
import type { KindDefinition } from './kind-definition.ts';
import type { Resource } from './kubernetes.ts';
import { rayClusterSpecSchema } from './ray-cluster-spec.ts';
import { rayClusterStatusSchema } from './ray-cluster-status.ts';
import { rayNameRules } from './ray-name.ts';
import { RAY_CLUSTER_WORDS } from './ray-words.ts';
import { withRules } from './rule.ts';

const rayClusterSchema = jobSchema(
  'ray.io/v1',
  'RayCluster',
  rayClusterSpecSchema.describe('What the cluster is to be.'),
).extend({
  status: rayClusterStatusSchema.describe('How the cluster is doing. Written by the operator.').exactOptional(),
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
  words: RAY_CLUSTER_WORDS,
  schema: withRules(rayClusterSchema, rayNameRules('cluster', 53)).describe(
    'A Ray cluster: a head and groups of workers.',
  ),
  printerColumns: [
    {
      name: 'desired workers',
      type: 'integer',
      jsonPath: '.status.desiredWorkerReplicas',
      description: 'How many worker pods there should be.',
    },
    {
      name: 'available workers',
      type: 'integer',
      jsonPath: '.status.availableWorkerReplicas',
      description: 'How many worker pods run.',
    },
    { name: 'cpus', type: 'string', jsonPath: '.status.desiredCPU', description: 'The CPUs of all pods.' },
    { name: 'memory', type: 'string', jsonPath: '.status.desiredMemory', description: 'The memory of all pods.' },
    { name: 'gpus', type: 'string', jsonPath: '.status.desiredGPU', description: 'The GPUs of all pods.' },
    { name: 'tpus', type: 'string', jsonPath: '.status.desiredTPU', description: 'The TPUs of all pods.', wide: true },
    { name: 'status', type: 'string', jsonPath: '.status.state', description: 'The state of the cluster.' },
    {
      name: 'age',
      type: 'date',
      jsonPath: '.metadata.creationTimestamp',
      description: 'How long ago the cluster was created.',
    },
    {
      name: 'head pod IP',
      type: 'string',
      jsonPath: '.status.head.podIP',
      description: "The head pod's address.",
      wide: true,
    },
    {
      name: 'head service IP',
      type: 'string',
      jsonPath: '.status.head.serviceIP',
      description: "The address of the head's Service.",
      wide: true,
    },
  ],
};
