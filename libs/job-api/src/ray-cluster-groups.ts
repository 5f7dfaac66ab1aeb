/** The head and the worker groups of a RayCluster. */
import * as z from 'zod';
import type { Service } from './kubernetes.ts';
import { podTemplateWithRestartPolicySchema } from './pod-template.ts';
import { unlessBrokenBefore, withRules, type Rule } from './rule.ts';
import { count } from './scalars.ts';

/** The rules compare each group with each: of more, the API server takes the comparison for too costly. */
export const MOST_WORKER_GROUPS = 100;

/** What a head and a worker group have both. */
const GROUP_FIELDS = {
  rayStartParams: z
    .record(z.string(), z.string())
    .describe('Options of `ray start`, without the leading dashes. Those that are not named follow from the template.')
    .exactOptional(),
  resources: z
    .record(z.string(), z.string())
    .describe(
      'What Ray takes each node to have: CPU, memory, GPU and resources of your own. Has no effect on requests and limits. ' +
        'Default: the limits and requests of the Ray container.',
    )
    .exactOptional(),
  labels: z
    .record(z.string(), z.string())
    .describe('Labels of the nodes, for Ray to schedule by; the pods get them, too.')
    .exactOptional(),
  template: podTemplateWithRestartPolicySchema().describe(
    'What each pod is made from. Ray runs in the first container.',
  ),
};

interface Group {
  readonly rayStartParams?: Readonly<Record<string, string>>;
  readonly resources?: Readonly<Record<string, string>>;
}

/** The options of `ray start` that say what a node has. */
const RESOURCE_PARAMS = ['num-cpus', 'num-gpus', 'memory', 'resources'];

const GROUP_RULES: readonly Rule<Group>[] = [
  {
    cel:
      '!has(self.rayStartParams) || !has(self.resources) || self.resources.size() == 0 || ' +
      `[${RESOURCE_PARAMS.map((name) => `'${name}'`).join(', ')}].all(p, self.rayStartParams[?p].orValue('') == '')`,
    holds: ({ rayStartParams = {}, resources = {} }) =>
      Object.keys(resources).length === 0 || RESOURCE_PARAMS.every((name) => (rayStartParams[name] ?? '') === ''),
    message: `remove ${RESOURCE_PARAMS.join(', ')}: resources says already what each node has`,
    reason: 'FieldValueForbidden',
    at: ['rayStartParams'],
  },
  {
    cel: "!has(self.rayStartParams) || !('labels' in self.rayStartParams)",
    holds: ({ rayStartParams = {} }) => !('labels' in rayStartParams),
    message: 'remove labels: write them into the field labels of the group, so that the pods get them as well',
    reason: 'FieldValueForbidden',
    at: ['rayStartParams'],
  },
];

const ingressOptionsSchema = z.object({
  host: z.string().describe('The host name. Default: any.').exactOptional(),
  path: z.string().describe('The path that leads to the dashboard. Default /.').exactOptional(),
  pathType: z
    .enum(['Exact', 'Prefix', 'ImplementationSpecific'])
    .describe('How the path is compared. Default Prefix.')
    .exactOptional(),
  tls: z.array(z.looseObject({})).describe('TLS, as in an Ingress.').exactOptional(),
});

export type RayIngressOptions = z.output<typeof ingressOptionsSchema>;

/** Described no deeper than it is read; all else is kept and checked by the API server when the Service is made. */
const headServiceSchema = z.looseObject({
  metadata: z
    .looseObject({
      name: z.string().describe('Name of the Service. Default <cluster>-head-svc.').exactOptional(),
      labels: z.record(z.string(), z.string()).describe('Its labels, besides those of Muster.').exactOptional(),
      annotations: z.record(z.string(), z.string()).describe('Its annotations.').exactOptional(),
    })
    .describe('Name, labels and annotations of the Service.')
    .exactOptional(),
  spec: z.looseObject({}).describe('The Service, as in Kubernetes.').exactOptional(),
}) as z.ZodType as z.ZodType<Service>;

export const headGroupSpecSchema = withRules(
  z.object({
    ...GROUP_FIELDS,
    serviceType: z
      .enum(['ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName', ''])
      .describe(
        "The type of the head's Service. NodePort and LoadBalancer open Ray to the network: it runs any code it is sent. " +
          'Default: headless, within the Kubernetes cluster.',
      )
      .exactOptional(),
    headService: headServiceSchema
      .describe("The head's Service: what is said here goes before the default.")
      .exactOptional(),
    enableIngress: z.boolean().describe('Whether an Ingress leads to the dashboard. Default false.').exactOptional(),
    ingressOptions: ingressOptionsSchema.describe('How that Ingress is made.').exactOptional(),
  }),
  unlessBrokenBefore(GROUP_RULES),
);

export type RayHeadGroupSpec = z.output<typeof headGroupSpecSchema>;

const scaleStrategySchema = z.object({
  workersToDelete: z
    .array(z.string())
    .describe('Names of pods that are to be deleted first. Written by the autoscaler.')
    .exactOptional(),
});

/** What can be a label's value and, in lower case, a part of a pod's name. */
const GROUP_NAME = '^[A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?$';

/** The value of the label `ray.io/group` on the head, and Ray's own name for its type of node. */
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
    message: `choose another name: ${RAY_HEAD_GROUP} is the head's`,
  },
]);

const MOST_RAY_REPLICAS = 2_147_483_647;

/**
 * A count that the API server fills in, as KubeRay's definition has it: Ray's autoscaler stops where it is missing, and Kueue
 * takes another number. Muster itself does without it.
 */
const filledIn = (value: number) => count().meta({ default: value });

export const workerGroupSpecSchema = withRules(
  z.object({
    groupName: groupNameSchema,
    replicas: filledIn(0)
      .describe('How many replicas, within minReplicas and maxReplicas. Written by the autoscaler where there is one.')
      .exactOptional(),
    minReplicas: filledIn(0).describe('The least number of replicas.').exactOptional(),
    maxReplicas: filledIn(MOST_RAY_REPLICAS).describe('The greatest number of replicas.').exactOptional(),
    numOfHosts: z.int32().min(1).describe('How many pods a replica has. Default 1.').exactOptional(),
    suspend: z.boolean().describe('Whether the group has no pods for now. Default false.').exactOptional(),
    idleTimeoutSeconds: count()
      .describe(
        'A worker of the group that has had nothing to do for this many seconds is removed. Read by autoscaler v2.',
      )
      .exactOptional(),
    priority: z
      .int32()
      .describe(
        'Of several groups that would do, the one with the highest is scaled up. Default 0. Read by autoscaler v2.',
      )
      .exactOptional(),
    scaleStrategy: scaleStrategySchema.describe('Which pods go first when the group gets smaller.').exactOptional(),
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

/** Pods are named after their group in lower case, so two groups may not differ in that alone. */
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
