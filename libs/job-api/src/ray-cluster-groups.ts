/** The head and the worker groups of a RayCluster. */
import * as z from 'zod';
import type { Service } from './kubernetes.ts';
import { podTemplateWithRestartPolicySchema } from './pod-template.ts';
import { serviceSpecSchema } from './ray-kubernetes-fields.ts';
import { acceptingExistingViolations, withRules, type Rule } from './rule.ts';
import { count } from './scalars.ts';

/** The rules compare each pair of groups; the API server rejects the cost of more. */
export const MOST_WORKER_GROUPS = 100;

/** Fields of the head and of worker groups. */
const GROUP_FIELDS = {
  rayStartParams: z
    .record(z.string(), z.string())
    .describe(
      'Options of `ray start`, without the leading dashes. Options that are not set are derived from the template.',
    )
    .exactOptional(),
  resources: z
    .record(z.string(), z.string())
    .describe(
      'Ray resources of each node: CPU, memory, GPU and custom resources. Does not change requests and limits. ' +
        'Default: the limits and requests of the Ray container.',
    )
    .exactOptional(),
  labels: z
    .record(z.string(), z.string())
    .describe('Labels of the Ray nodes, for scheduling by Ray. The pods get them, too.')
    .exactOptional(),
  template: podTemplateWithRestartPolicySchema().describe('Template of the pods. Ray runs in the first container.'),
};

interface Group {
  readonly rayStartParams?: Readonly<Record<string, string>>;
  readonly resources?: Readonly<Record<string, string>>;
}

/** Options of `ray start` for resources. */
const RESOURCE_PARAMS = ['num-cpus', 'num-gpus', 'memory', 'resources'];

const GROUP_RULES: readonly Rule<Group>[] = [
  {
    cel:
      '!has(self.rayStartParams) || !has(self.resources) || self.resources.size() == 0 || ' +
      `[${RESOURCE_PARAMS.map((name) => `'${name}'`).join(', ')}].all(p, self.rayStartParams[?p].orValue('') == '')`,
    holds: ({ rayStartParams = {}, resources = {} }) =>
      Object.keys(resources).length === 0 || RESOURCE_PARAMS.every((name) => (rayStartParams[name] ?? '') === ''),
    message: `remove ${RESOURCE_PARAMS.join(', ')}: the field resources sets them`,
    reason: 'FieldValueForbidden',
    at: ['rayStartParams'],
  },
  {
    cel: "!has(self.rayStartParams) || !('labels' in self.rayStartParams)",
    holds: ({ rayStartParams = {} }) => !('labels' in rayStartParams),
    message: 'remove labels: use the field labels of the group, which the pods get as well',
    reason: 'FieldValueForbidden',
    at: ['rayStartParams'],
  },
];

const ingressOptionsSchema = z.object({
  host: z.string().describe('Host name. Default: any.').exactOptional(),
  path: z.string().describe('Path of the dashboard. Default /.').exactOptional(),
  pathType: z
    .enum(['Exact', 'Prefix', 'ImplementationSpecific'])
    .describe('How the path is matched. Default Prefix.')
    .exactOptional(),
  tls: z.array(z.looseObject({})).describe('TLS, as in an Ingress.').exactOptional(),
});

export type RayIngressOptions = z.output<typeof ingressOptionsSchema>;

/** Only fields that Muster reads are described. The API server validates the rest when the Service is created. */
const headServiceSchema = z.looseObject({
  metadata: z
    .looseObject({
      name: z.string().describe('Name of the Service. Default <cluster>-head-svc.').exactOptional(),
      labels: z
        .record(z.string(), z.string())
        .describe('Labels of the Service, in addition to those of Muster.')
        .exactOptional(),
      annotations: z.record(z.string(), z.string()).describe('Annotations of the Service.').exactOptional(),
    })
    .describe('Name, labels and annotations of the Service.')
    .exactOptional(),
  spec: serviceSpecSchema('Spec of the Service, as in Kubernetes.'),
}) as z.ZodType as z.ZodType<Service>;

export const headGroupSpecSchema = withRules(
  z.object({
    ...GROUP_FIELDS,
    serviceType: z
      .enum(['ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName', ''])
      .describe(
        "Type of the head's Service. NodePort and LoadBalancer open Ray, which runs any code that it receives, " +
          'to the network. Default: a headless Service within the Kubernetes cluster.',
      )
      .exactOptional(),
    headService: headServiceSchema
      .describe("The head's Service. Fields that are set here override the defaults.")
      .exactOptional(),
    enableIngress: z.boolean().describe('Whether an Ingress exposes the dashboard. Default false.').exactOptional(),
    ingressOptions: ingressOptionsSchema.describe('Options of that Ingress.').exactOptional(),
  }),
  acceptingExistingViolations(GROUP_RULES),
);

export type RayHeadGroupSpec = z.output<typeof headGroupSpecSchema>;

const scaleStrategySchema = z.object({
  workersToDelete: z
    .array(z.string())
    .describe('Names of pods that are deleted first. Written by the autoscaler.')
    .exactOptional(),
});

/** Valid as a label value and, in lower case, as a part of a pod name. */
const GROUP_NAME = '^[A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?$';

/** Value of the label `ray.io/group` on the head, and Ray's name for its node type. */
export const RAY_HEAD_GROUP = 'headgroup';

const groupNameSchema = withRules(z.string().max(63).describe('Name of the group, unique within the cluster.'), [
  {
    cel: `self.matches('${GROUP_NAME}')`,
    holds: (self) => new RegExp(GROUP_NAME).test(self),
    message:
      'must be letters, digits, "-" and ".", starting and ending with a letter or digit: it is part of the names of pods',
  },
  {
    cel: `self != '${RAY_HEAD_GROUP}'`,
    holds: (self) => self !== RAY_HEAD_GROUP,
    message: `choose another name: ${RAY_HEAD_GROUP} is reserved for the head`,
  },
]);

const MOST_RAY_REPLICAS = 2_147_483_647;

/**
 * A count with a default, as in KubeRay's definition: without it Ray's autoscaler stops, and Kueue assumes another
 * number. Muster does not need it.
 */
const filledIn = (value: number) => count().meta({ default: value });

export const workerGroupSpecSchema = withRules(
  z.object({
    groupName: groupNameSchema,
    replicas: filledIn(0)
      .describe('Number of replicas, within minReplicas and maxReplicas. Written by the autoscaler if there is one.')
      .exactOptional(),
    minReplicas: filledIn(0).describe('Minimum number of replicas.').exactOptional(),
    maxReplicas: filledIn(MOST_RAY_REPLICAS).describe('Maximum number of replicas.').exactOptional(),
    numOfHosts: z.int32().min(1).describe('Number of pods of each replica. Default 1.').exactOptional(),
    suspend: z.boolean().describe('True: the group has no pods. Default false.').exactOptional(),
    idleTimeoutSeconds: count()
      .describe('Seconds after which an idle worker of the group is removed. Read by autoscaler v2.')
      .exactOptional(),
    priority: z
      .int32()
      .describe(
        'If several groups are suitable, the one with the highest priority is scaled up. Default 0. Read by ' +
          'autoscaler v2.',
      )
      .exactOptional(),
    scaleStrategy: scaleStrategySchema
      .describe('Which pods are deleted first when the group is scaled down.')
      .exactOptional(),
    ...GROUP_FIELDS,
  }),
  [
    {
      cel: '!has(self.minReplicas) || !has(self.maxReplicas) || self.minReplicas <= self.maxReplicas',
      holds: ({ minReplicas, maxReplicas }) =>
        minReplicas === undefined || maxReplicas === undefined || minReplicas <= maxReplicas,
      message: 'must not be greater than maxReplicas',
      at: ['minReplicas'],
    },
    ...GROUP_RULES,
  ],
);

export type RayWorkerGroupSpec = z.output<typeof workerGroupSpecSchema>;

/** Pod names contain the group's name in lower case, so two names must differ in more than case. */
export const workerGroupSpecsSchema = withRules(
  z.array(workerGroupSpecSchema).max(MOST_WORKER_GROUPS).describe('The worker groups.'),
  [
    {
      cel:
        'self.all(a, !has(a.groupName) || ' +
        'self.exists_one(b, has(b.groupName) && b.groupName.lowerAscii() == a.groupName.lowerAscii()))',
      holds: (self) => new Set(self.map(({ groupName }) => groupName.toLowerCase())).size === self.length,
      message: 'two groups have the same name, in upper or lower case: rename one',
    },
  ],
);
