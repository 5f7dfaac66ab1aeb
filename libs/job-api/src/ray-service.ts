/**
 * RayService of `ray.io/v1`, field for field as KubeRay defines it, with the rules that its operator applied only after
 * admission. Differences are listed in docs/administrators/differences/rayservice.md.
 */
import * as z from 'zod';
import { jobSchema } from './job-schema.ts';
import type { KindDefinition } from './kind-definition.ts';
import type { Resource } from './kubernetes.ts';
import { rayClusterSpecSchema } from './ray-cluster-spec.ts';
import { musterRecordSchema, rayClusterStatusSchema, rayConditionSchema } from './ray-cluster-status.ts';
import { serviceSpecSchema } from './ray-kubernetes-fields.ts';
import { managedByIsImmutable, rayManagedBySchema } from './ray-managed-by.ts';
import { rayNameRules } from './ray-name.ts';
import { RAY_SERVICE_RULES, UPGRADE_STRATEGY_RULES } from './ray-service-rules.ts';
import { RAY_SERVICE_VOCABULARY } from './ray-vocabulary.ts';
import { acceptingExistingViolations, withRules } from './rule.ts';
import { count, time } from './scalars.ts';

const RAY_SERVICE_UPGRADES = ['NewCluster', 'None', 'NewClusterWithIncrementalUpgrade'] as const;

const percent = () => z.int32().min(0).max(100);

const clusterUpgradeOptionsSchema = z.object({
  maxSurgePercent: percent()
    .describe('How much more than the capacity of one cluster both clusters may have together. Default 100.')
    .exactOptional(),
  stepSizePercent: percent()
    .min(1)
    .describe('Part of the requests that moves to the new cluster in a step. At most maxSurgePercent.')
    .exactOptional(),
  intervalSeconds: z.int32().min(1).describe('Seconds between two steps.').exactOptional(),
  gatewayClassName: z.string().describe('GatewayClass of the Gateway that Muster creates.').exactOptional(),
});

const upgradeStrategySchema = withRules(
  z.object({
    type: z
      .enum(RAY_SERVICE_UPGRADES)
      .describe(
        'What happens when rayClusterConfig changes. NewCluster: a second cluster is created, and gets all requests ' +
          'when its applications run. None: the cluster stays as it is. NewClusterWithIncrementalUpgrade: as ' +
          'NewCluster, but capacity and requests move in steps, by a Gateway. Default NewCluster.',
      )
      .exactOptional(),
    clusterUpgradeOptions: clusterUpgradeOptionsSchema
      .describe('Options of NewClusterWithIncrementalUpgrade.')
      .exactOptional(),
  }),
  acceptingExistingViolations(UPGRADE_STRATEGY_RULES),
);

/** Only fields that Muster reads are described. The API server validates the rest when the Service is created. */
const serveServiceSchema = z.looseObject({
  metadata: z
    .looseObject({
      name: z.string().describe('Name of the Service. Default <rayservice>-serve-svc.').exactOptional(),
      labels: z
        .record(z.string(), z.string())
        .describe('Labels of the Service, in addition to those of Muster.')
        .exactOptional(),
      annotations: z.record(z.string(), z.string()).describe('Annotations of the Service.').exactOptional(),
    })
    .describe('Name, labels and annotations of the Service.')
    .exactOptional(),
  spec: serviceSpecSchema('Spec of the Service, as in Kubernetes. Its selector is ignored.'),
});

const specSchema = z.object({
  rayClusterConfig: rayClusterSpecSchema.describe('Cluster that runs the applications.'),
  serveConfigV2: z
    .string()
    .describe(
      "Applications to run, as YAML: Ray Serve's config file for several applications. Changes are applied to the " +
        'running cluster.',
    )
    .exactOptional(),
  serveService: serveServiceSchema
    .describe('Service through which the applications are called. Fields that are set here override the defaults.')
    .exactOptional(),
  excludeHeadPodFromServeSvc: z
    .boolean()
    .describe('Whether the head pod gets no requests from that Service. Default false.')
    .exactOptional(),
  upgradeStrategy: upgradeStrategySchema.describe('What happens when rayClusterConfig changes.').exactOptional(),
  rayClusterDeletionDelaySeconds: count()
    .describe('Seconds until a cluster that is no longer used is deleted. Default 60.')
    .exactOptional(),
  suspend: z
    .boolean()
    .describe('True suspends the service: its clusters and Services are deleted. False starts it again. Default false.')
    .exactOptional(),
  managedBy: rayManagedBySchema('service').exactOptional(),
  serviceUnhealthySecondThreshold: z
    .int32()
    .describe('Ignored: Ray Serve restarts unhealthy replicas itself.')
    .exactOptional(),
  deploymentUnhealthySecondThreshold: z
    .int32()
    .describe('Ignored: Ray Serve restarts unhealthy replicas itself.')
    .exactOptional(),
});

export type RayServiceSpec = z.output<typeof specSchema>;

const deploymentStatusSchema = z.object({
  status: z.string().describe('State in Ray Serve, such as HEALTHY.').exactOptional(),
  message: z.string().describe('Message of Ray Serve.').exactOptional(),
});

const applicationStatusSchema = z.object({
  status: z
    .string()
    .describe('State in Ray Serve: NOT_STARTED, DEPLOYING, DEPLOY_FAILED, RUNNING, UNHEALTHY or DELETING.')
    .exactOptional(),
  message: z.string().describe('Message of Ray Serve.').exactOptional(),
  serveDeploymentStatuses: z
    .record(z.string(), deploymentStatusSchema)
    .describe('Its deployments, by name.')
    .exactOptional(),
});

const submittedSchema = z.object({
  serveConfigV2: z.string().describe('The config that Ray Serve accepted last.').exactOptional(),
  number: count().describe('How often a config was submitted to this cluster.').exactOptional(),
  head: z.string().describe('Head pod that got it: UID and number of restarts.').exactOptional(),
  targetCapacity: percent().describe('The target_capacity in it.').exactOptional(),
});

const clusterStatusSchema = z.object({
  rayClusterName: z.string().describe('Name of the RayCluster.').exactOptional(),
  rayClusterStatus: rayClusterStatusSchema
    .omit({ muster: true })
    .describe('Status of the RayCluster when this status was written.')
    .exactOptional(),
  applicationStatuses: z
    .record(z.string(), applicationStatusSchema)
    .describe('Applications of Ray Serve, by name.')
    .exactOptional(),
  targetCapacity: percent()
    .describe('Part of the capacity that the cluster should have, in an incremental upgrade.')
    .exactOptional(),
  trafficRoutedPercent: percent()
    .describe('Part of the requests that the cluster gets, in an incremental upgrade.')
    .exactOptional(),
  lastTrafficMigratedTime: time().describe('When that part last changed.').exactOptional(),
  submitted: submittedSchema.describe('The last submission to Ray Serve.').exactOptional(),
});

const statusSchema = z.object({
  serviceStatus: z.string().describe('Running, or empty. Deprecated: read condition Ready.').exactOptional(),
  numServeEndpoints: count()
    .describe('Number of ready pods that get requests through the serve Service.')
    .exactOptional(),
  observedGeneration: z.int().describe('The generation of the service that this status refers to.').exactOptional(),
  lastUpdateTime: time().describe('When the status was last written.').exactOptional(),
  conditions: z
    .array(rayConditionSchema)
    .describe(
      'Ready, UpgradeInProgress, RollbackInProgress, Suspending, Suspended and ReplicaFailure, each at most once.',
    )
    .exactOptional(),
  activeServiceStatus: clusterStatusSchema.describe('The cluster that gets the requests.').exactOptional(),
  pendingServiceStatus: clusterStatusSchema.describe('The cluster that will replace it.').exactOptional(),
  muster: musterRecordSchema,
});

export type RayServiceStatus = z.output<typeof statusSchema>;
export type RayServiceClusterStatus = z.output<typeof clusterStatusSchema>;
export type RayServeApplicationStatus = z.output<typeof applicationStatusSchema>;

const rayServiceSchema = jobSchema(
  'ray.io/v1',
  'RayService',
  withRules(specSchema, [...acceptingExistingViolations(RAY_SERVICE_RULES), managedByIsImmutable('service')]).describe(
    'Desired state of the service.',
  ),
).extend({
  status: statusSchema.describe('Observed state of the service. Written by the operator.').exactOptional(),
});

/** Applications of Ray Serve on a cluster of their own. */
export type RayService = z.output<typeof rayServiceSchema>;

export const RAY_SERVICES: Resource<RayService> = {
  group: 'ray.io',
  version: 'v1',
  kind: 'RayService',
  plural: 'rayservices',
  namespaced: true,
};

/** A cluster's name has six characters more, and its objects have suffixes. */
const MOST_CHARACTERS = 47;

/** The kind, its schema, and how kubectl shows it. */
export const rayServiceDefinition: KindDefinition<RayService> = {
  resource: RAY_SERVICES,
  singular: 'rayservice',
  shortNames: [],
  vocabulary: RAY_SERVICE_VOCABULARY,
  schema: withRules(rayServiceSchema, rayNameRules('service', MOST_CHARACTERS)).describe(
    'Applications of Ray Serve on a cluster of their own.',
  ),
  printerColumns: [
    {
      name: 'service status',
      type: 'string',
      jsonPath: '.status.serviceStatus',
      description: 'Running, if the applications can be called.',
    },
    {
      name: 'num serve endpoints',
      type: 'string',
      jsonPath: '.status.numServeEndpoints',
      description: 'Number of ready pods that get requests.',
    },
    {
      name: 'age',
      type: 'date',
      jsonPath: '.metadata.creationTimestamp',
      description: 'Time since the service was created.',
    },
    {
      name: 'cluster',
      type: 'string',
      jsonPath: '.status.activeServiceStatus.rayClusterName',
      description: 'RayCluster that gets the requests.',
      wide: true,
    },
    {
      name: 'pending cluster',
      type: 'string',
      jsonPath: '.status.pendingServiceStatus.rayClusterName',
      description: 'RayCluster that will replace it.',
      wide: true,
    },
    {
      name: 'message',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="Ready")].message',
      description: 'Why the service is not ready.',
      wide: true,
    },
  ],
};
