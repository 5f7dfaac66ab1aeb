/** Rules about several fields of a RayJob's spec. */
import type { PodTemplateSpec } from './kubernetes.ts';
import { isFromRayVersion, isFromRayVersionCel } from './ray-version.ts';
import type { Rule } from './rule.ts';

/** The key of `clusterSelector` whose value is the cluster's name. */
export const RAY_CLUSTER_LABEL = 'ray.io/cluster';

interface JobSpec {
  readonly entrypoint?: string;
  readonly submissionMode: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly clusterSelector?: Readonly<Record<string, string>>;
  readonly rayClusterSpec?: {
    readonly rayVersion?: string;
    readonly suspend?: boolean;
    readonly authOptions?: { readonly enableK8sTokenAuth?: boolean };
    readonly upgradeStrategy?: { readonly type?: string };
    readonly headGroupSpec: { readonly template: PodTemplateSpec };
  };
  readonly submitterPodTemplate?: PodTemplateSpec;
  readonly submitterConfig?: object;
  readonly shutdownAfterJobFinishes?: boolean;
  readonly ttlSecondsAfterFinished?: number;
  readonly backoffLimit?: number;
  readonly suspend?: boolean;
}

type JobRule = Rule<JobSpec>;

const SELECTS = '(has(self.clusterSelector) && self.clusterSelector.size() > 0)';
const selects = ({ clusterSelector = {} }: JobSpec) => Object.keys(clusterSelector).length > 0;

const isMode = (mode: string) => `(self.?submissionMode.orValue('') == '${mode}')`;
const IS_SIDECAR = isMode('SidecarMode');
const IS_INTERACTIVE = isMode('InteractiveMode');

const CLUSTER: readonly JobRule[] = [
  {
    cel: `has(self.rayClusterSpec) || ${SELECTS}`,
    holds: (self) => self.rayClusterSpec !== undefined || selects(self),
    message: 'set rayClusterSpec (a cluster that is created for the job) or clusterSelector (an existing cluster)',
    reason: 'FieldValueRequired',
    at: ['rayClusterSpec'],
  },
  {
    cel: `!has(self.rayClusterSpec) || !${SELECTS}`,
    holds: (self) => self.rayClusterSpec === undefined || !selects(self),
    message: 'remove it, or rayClusterSpec: a job runs on one cluster',
    reason: 'FieldValueForbidden',
    at: ['clusterSelector'],
  },
  {
    cel: `!${SELECTS} || self.clusterSelector[?'${RAY_CLUSTER_LABEL}'].orValue('') != ''`,
    holds: (self) => !selects(self) || (self.clusterSelector?.[RAY_CLUSTER_LABEL] ?? '') !== '',
    message: `set the key ${RAY_CLUSTER_LABEL} to the name of the cluster`,
    reason: 'FieldValueRequired',
    at: ['clusterSelector'],
  },
  {
    cel: "self.?rayClusterSpec.?upgradeStrategy.?type.orValue('') == ''",
    holds: ({ rayClusterSpec }) => rayClusterSpec?.upgradeStrategy?.type === undefined,
    message: 'remove it: the cluster of a job is never upgraded',
    reason: 'FieldValueForbidden',
    at: ['rayClusterSpec', 'upgradeStrategy'],
  },
  {
    cel: '!self.?rayClusterSpec.?authOptions.?enableK8sTokenAuth.orValue(false)',
    holds: ({ rayClusterSpec }) => rayClusterSpec?.authOptions?.enableK8sTokenAuth !== true,
    message: 'remove it: a job is submitted with a token from a Secret',
    reason: 'FieldValueForbidden',
    at: ['rayClusterSpec', 'authOptions', 'enableK8sTokenAuth'],
  },
  {
    cel: '!self.?rayClusterSpec.?suspend.orValue(false)',
    holds: ({ rayClusterSpec }) => rayClusterSpec?.suspend !== true,
    message: 'set spec.suspend of the job instead: the job would wait for its cluster forever',
    reason: 'FieldValueForbidden',
    at: ['rayClusterSpec', 'suspend'],
  },
];

/** Like KubeRay, Muster sets a command on the submitter's first container only if it has none. */
export function hasOwnSubmitCommand({ submissionMode, submitterPodTemplate }: SubmitterSpec): boolean {
  const [submitter] = submitterPodTemplate?.spec?.containers ?? [];
  return submissionMode === 'K8sJobMode' && (submitter?.command ?? []).length > 0;
}

type SubmitterSpec = Pick<JobSpec, 'submissionMode' | 'submitterPodTemplate'>;

const HAS_OWN_SUBMIT_COMMAND =
  "(self.?submissionMode.orValue('K8sJobMode') == 'K8sJobMode' && " +
  'self.?submitterPodTemplate.?spec.?containers[?0].?command.orValue([]).size() > 0)';

const METADATA_VERSION = 6;

const SUBMISSION: readonly JobRule[] = [
  {
    cel: `${IS_INTERACTIVE} || ${HAS_OWN_SUBMIT_COMMAND} || (has(self.entrypoint) && self.entrypoint.matches('[^ \\\\t\\\\n\\\\r]'))`,
    holds: (self) =>
      self.submissionMode === 'InteractiveMode' ||
      hasOwnSubmitCommand(self) ||
      /[^ \t\n\r]/.test(self.entrypoint ?? ''),
    message:
      'set the command that Ray runs; it is optional in InteractiveMode, and if submitterPodTemplate has a command',
    reason: 'FieldValueRequired',
    at: ['entrypoint'],
  },
  {
    cel: `!${IS_SIDECAR} || !${SELECTS}`,
    holds: (self) => self.submissionMode !== 'SidecarMode' || !selects(self),
    message: 'choose another mode: SidecarMode needs a cluster that the job creates',
    reason: 'FieldValueForbidden',
    at: ['submissionMode'],
  },
  {
    cel: `!${IS_SIDECAR} || !has(self.submitterPodTemplate)`,
    holds: (self) => self.submissionMode !== 'SidecarMode' || self.submitterPodTemplate === undefined,
    message: 'remove it: in SidecarMode the submitter is a container of the head pod',
    reason: 'FieldValueForbidden',
    at: ['submitterPodTemplate'],
  },
  {
    cel: `!${IS_SIDECAR} || !has(self.submitterConfig)`,
    holds: (self) => self.submissionMode !== 'SidecarMode' || self.submitterConfig === undefined,
    message: 'remove it: in SidecarMode the submitter is not retried',
    reason: 'FieldValueForbidden',
    at: ['submitterConfig'],
  },
  {
    cel: `!${IS_SIDECAR} || self.?rayClusterSpec.?headGroupSpec.?template.?spec.?restartPolicy.orValue('') in ['', 'Never']`,
    holds: ({ submissionMode, rayClusterSpec }) =>
      submissionMode !== 'SidecarMode' ||
      ['', 'Never'].includes(rayClusterSpec?.headGroupSpec.template.spec?.restartPolicy ?? ''),
    message: 'must be Never or unset: in SidecarMode the head pod ends with the job',
    at: ['rayClusterSpec', 'headGroupSpec', 'template', 'spec', 'restartPolicy'],
  },
  {
    cel:
      '!has(self.metadata) || self.metadata.size() == 0 || !has(self.rayClusterSpec) || ' +
      "self.rayClusterSpec.?rayVersion.orValue('') == '' || " +
      isFromRayVersionCel('self.rayClusterSpec', METADATA_VERSION),
    holds: ({ metadata = {}, rayClusterSpec }) =>
      Object.keys(metadata).length === 0 ||
      (rayClusterSpec?.rayVersion ?? '') === '' ||
      isFromRayVersion(rayClusterSpec ?? {}, METADATA_VERSION),
    message: `remove it, or use Ray 2.${METADATA_VERSION}.0 or later: earlier releases do not support metadata of jobs`,
    reason: 'FieldValueForbidden',
    at: ['metadata'],
  },
];

const LIMITS: readonly JobRule[] = [
  {
    cel: `self.?backoffLimit.orValue(0) == 0 || !${SELECTS}`,
    holds: (self) => (self.backoffLimit ?? 0) === 0 || !selects(self),
    message: 'must be 0: each retry needs a new cluster, which clusterSelector does not create',
    reason: 'FieldValueForbidden',
    at: ['backoffLimit'],
  },
  {
    cel: `self.?backoffLimit.orValue(0) == 0 || !${IS_INTERACTIVE}`,
    holds: ({ backoffLimit = 0, submissionMode }) => backoffLimit === 0 || submissionMode !== 'InteractiveMode',
    message: 'must be 0: in InteractiveMode Muster does not submit the job',
    reason: 'FieldValueForbidden',
    at: ['backoffLimit'],
  },
  {
    cel: 'self.?ttlSecondsAfterFinished.orValue(0) == 0 || self.?shutdownAfterJobFinishes.orValue(false)',
    holds: ({ ttlSecondsAfterFinished = 0, shutdownAfterJobFinishes = false }) =>
      ttlSecondsAfterFinished === 0 || shutdownAfterJobFinishes,
    message:
      'set shutdownAfterJobFinishes to true, or remove it: nothing is deleted after the job; deletionRules ' +
      'have their own ttlSeconds',
    reason: 'FieldValueForbidden',
    at: ['ttlSecondsAfterFinished'],
  },
  {
    cel: '!self.?suspend.orValue(false) || self.?shutdownAfterJobFinishes.orValue(false)',
    holds: ({ suspend = false, shutdownAfterJobFinishes = false }) => !suspend || shutdownAfterJobFinishes,
    message: 'set shutdownAfterJobFinishes to true: a job can be suspended only if its cluster is deleted with it',
    reason: 'FieldValueForbidden',
    at: ['suspend'],
  },
  {
    cel: `!self.?suspend.orValue(false) || !${SELECTS}`,
    holds: (self) => self.suspend !== true || !selects(self),
    message: 'remove it: a job does not suspend the cluster of clusterSelector',
    reason: 'FieldValueForbidden',
    at: ['suspend'],
  },
];

export const RAY_JOB_RULES: readonly JobRule[] = [...CLUSTER, ...SUBMISSION, ...LIMITS];
