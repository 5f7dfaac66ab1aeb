/** `spec.autoscalerOptions` of a RayCluster: the container in the head pod that scales the worker groups. */
import * as z from 'zod';
import type { PodTemplateSpec } from './kubernetes.ts';
import { HEAD_CONTAINERS, hasHeadEnv, headEnv, headEnvCel } from './ray-container-env.ts';
import { envVarsSchema, kubernetesObject } from './ray-kubernetes-fields.ts';
import { isFromRayVersion, isFromRayVersionCel } from './ray-version.ts';
import { withRules, type Rule } from './rule.ts';
import { count } from './scalars.ts';

export const RAY_AUTOSCALER_VERSIONS = ['v1', 'v2'] as const;

/** Environment variables that Muster sets on the autoscaler's container, and users must not set. */
const OWN_VARIABLES = [
  'KUBERAY_CRD_VER',
  'KUBERAY_GEN_AUTOSCALER_START_CMD',
  'RAY_CLUSTER_NAME',
  'RAY_CLUSTER_NAMESPACE',
  'RAY_HEAD_POD_NAME',
];

/** The API server needs a bound to estimate the cost of the rule. */
const MOST_VARIABLES = 500;

export const autoscalerOptionsSchema = z.object({
  version: z
    .enum(RAY_AUTOSCALER_VERSIONS)
    .describe("Version of Ray's autoscaler. Default v2 from Ray 2.47 on, and v1 before.")
    .exactOptional(),
  idleTimeoutSeconds: count()
    .describe('Seconds after which an idle worker is removed. Default 60. Read by Ray.')
    .exactOptional(),
  upscalingMode: z
    .enum(['Default', 'Aggressive', 'Conservative'])
    .describe(
      'Conservative: at most as many pods are pending at a time as the cluster has. Default and Aggressive: no ' +
        'such limit. Read by Ray.',
    )
    .exactOptional(),
  image: z.string().describe('Image of the container. Default: that of the head.').exactOptional(),
  imagePullPolicy: z.string().describe('When the image is pulled: Always, IfNotPresent or Never.').exactOptional(),
  resources: kubernetesObject('Resource requests and limits. Default 500m CPU and 512Mi of memory for both.'),
  securityContext: kubernetesObject('Security context of the container.'),
  env: withRules(envVarsSchema().max(MOST_VARIABLES).describe('Further environment variables of the container.'), [
    {
      cel: `self.all(e, !(e.name in [${OWN_VARIABLES.map((name) => `'${name}'`).join(', ')}]))`,
      holds: (self) => self.every(({ name }) => !OWN_VARIABLES.includes(name)),
      message: `remove ${OWN_VARIABLES.join(', ')}: Muster sets these for the autoscaler`,
      reason: 'FieldValueForbidden',
    },
  ]).exactOptional(),
  envFrom: z
    .array(z.looseObject({}))
    .describe('ConfigMaps and Secrets with further environment variables.')
    .exactOptional(),
  volumeMounts: z
    .array(z.looseObject({}))
    .describe('Where volumes of the head pod are mounted in the container.')
    .exactOptional(),
  command: z.array(z.string()).describe('Replaces the command of the container.').exactOptional(),
  args: z.array(z.string()).describe('Replaces the arguments of the container.').exactOptional(),
});

export type RayAutoscalerOptions = z.output<typeof autoscalerOptionsSchema>;

interface AutoscaledSpec {
  readonly rayVersion?: string;
  readonly enableInTreeAutoscaling?: boolean;
  readonly autoscalerOptions?: RayAutoscalerOptions;
  readonly headGroupSpec: { readonly template: PodTemplateSpec };
  readonly workerGroupSpecs?: readonly {
    readonly suspend?: boolean;
    readonly idleTimeoutSeconds?: number;
    readonly priority?: number;
    readonly template: PodTemplateSpec;
  }[];
}

/** Older way to choose the version of the autoscaler. */
const V2_VARIABLE = 'RAY_enable_autoscaler_v2';
const V2_BY_DEFAULT = 47;
const PRIORITY_VERSION = 56;

const IS_ON = 'self.?enableInTreeAutoscaling.orValue(false)';
const VERSION = "self.?autoscalerOptions.?version.orValue('')";
const ASKS_FOR_V2_BY_VARIABLE = headEnvCel(`e.name == '${V2_VARIABLE}' && e.?value.orValue('') in ['1', 'true']`);
const IS_V2 =
  `${IS_ON} && (${VERSION} == 'v2' || (${VERSION} == '' && ` +
  `(${ASKS_FOR_V2_BY_VARIABLE} || ${isFromRayVersionCel('self', V2_BY_DEFAULT)})))`;

const isOn = ({ enableInTreeAutoscaling = false }: AutoscaledSpec) => enableInTreeAutoscaling;

const asksForV2ByVariable = (self: AutoscaledSpec) =>
  headEnv(self).some(({ name, value = '' }) => name === V2_VARIABLE && ['1', 'true'].includes(value));

function isV2(self: AutoscaledSpec): boolean {
  const version = self.autoscalerOptions?.version;
  if (!isOn(self) || version !== undefined) return isOn(self) && version === 'v2';
  return asksForV2ByVariable(self) || isFromRayVersion(self, V2_BY_DEFAULT);
}

/**
 * CEL expression: `cel` is true for each group `g`. A default for the list would hide its length from the API server.
 */
const ofEachGroup = (cel: string) => `(!has(self.workerGroupSpecs) || self.workerGroupSpecs.all(g, ${cel}))`;

/** Autoscaler v2 replaces ended nodes itself. It does not track containers that the kubelet restarts. */
const LEAVES_ENDED = (group: string) => `${group}.?template.?spec.?restartPolicy.orValue('') in ['', 'Never']`;
const leavesEnded = ({ spec }: PodTemplateSpec) => ['', 'Never'].includes(spec?.restartPolicy ?? '');

/** Rules of the whole spec. */
export const AUTOSCALER_RULES: readonly Rule<AutoscaledSpec>[] = [
  {
    cel: `!${IS_ON} || ${ofEachGroup('!g.?suspend.orValue(false)')}`,
    holds: (self) => !isOn(self) || (self.workerGroupSpecs ?? []).every(({ suspend = false }) => !suspend),
    message: 'a group cannot be suspended while the autoscaler scales it: set enableInTreeAutoscaling to false',
    reason: 'FieldValueForbidden',
    at: ['workerGroupSpecs'],
  },
  {
    cel: `${IS_ON} || !${ASKS_FOR_V2_BY_VARIABLE}`,
    holds: (self) => isOn(self) || !asksForV2ByVariable(self),
    message: `set enableInTreeAutoscaling to true, or remove ${V2_VARIABLE} from the first container: no autoscaler runs`,
    reason: 'FieldValueForbidden',
    at: HEAD_CONTAINERS,
  },
  {
    cel: `!${IS_ON} || ${VERSION} == '' || !${headEnvCel(`e.name == '${V2_VARIABLE}'`)}`,
    holds: (self) => !isOn(self) || self.autoscalerOptions?.version === undefined || !hasHeadEnv(self, [V2_VARIABLE]),
    message: `remove ${V2_VARIABLE} from the first container: autoscalerOptions.version selects the autoscaler`,
    reason: 'FieldValueForbidden',
    at: HEAD_CONTAINERS,
  },
  {
    cel: `!${IS_ON} || ${VERSION} != 'v2' || ${LEAVES_ENDED('self.?headGroupSpec')}`,
    holds: (self) =>
      !isOn(self) || self.autoscalerOptions?.version !== 'v2' || leavesEnded(self.headGroupSpec.template),
    message: 'must be Never or unset: autoscaler v2 replaces ended nodes itself',
    at: ['headGroupSpec', 'template', 'spec', 'restartPolicy'],
  },
  {
    cel: `!${IS_ON} || ${VERSION} != 'v2' || ${ofEachGroup(LEAVES_ENDED('g'))}`,
    holds: (self) =>
      !isOn(self) ||
      self.autoscalerOptions?.version !== 'v2' ||
      (self.workerGroupSpecs ?? []).every(({ template }) => leavesEnded(template)),
    message: 'template.spec.restartPolicy of a group must be Never or unset: autoscaler v2 replaces ended nodes itself',
    at: ['workerGroupSpecs'],
  },
  {
    cel: `${ofEachGroup('!has(g.idleTimeoutSeconds)')} || (${IS_V2})`,
    holds: (self) =>
      (self.workerGroupSpecs ?? []).every(({ idleTimeoutSeconds }) => idleTimeoutSeconds === undefined) || isV2(self),
    message:
      'idleTimeoutSeconds of a group needs autoscaler v2: set enableInTreeAutoscaling to true and autoscalerOptions.version to ' +
      'v2, or use autoscalerOptions.idleTimeoutSeconds',
    reason: 'FieldValueForbidden',
    at: ['workerGroupSpecs'],
  },
  {
    cel:
      `${ofEachGroup('g.?priority.orValue(0) == 0')} || ` +
      `((${IS_V2}) && ${isFromRayVersionCel('self', PRIORITY_VERSION)})`,
    holds: (self) =>
      (self.workerGroupSpecs ?? []).every(({ priority = 0 }) => priority === 0) ||
      (isV2(self) && isFromRayVersion(self, PRIORITY_VERSION)),
    message: `priority of a group needs autoscaler v2 and rayVersion 2.${PRIORITY_VERSION}.0 or later`,
    reason: 'FieldValueForbidden',
    at: ['workerGroupSpecs'],
  },
  {
    cel: `!${IS_ON} || has(self.workerGroupSpecs)`,
    holds: (self) => !isOn(self) || self.workerGroupSpecs !== undefined,
    message: 'name the worker groups: the autoscaler stops if the list is missing',
    reason: 'FieldValueRequired',
    at: ['workerGroupSpecs'],
  },
];
