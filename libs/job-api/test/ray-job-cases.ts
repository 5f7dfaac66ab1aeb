/** RayJobs that admission refuses or accepts. */
import { MANAGED_BY_KUBERAY } from '../src/ray-managed-by.ts';
import { rayJobDefinition } from '../src/ray-job.ts';
import type { AcceptedManifest, AdmissionTable, RefusedManifest } from './admission-table.ts';
import { RAY_JOB_SAMPLES } from './ray-job-samples.ts';
import { clusterSpec, group, head, jobSpec, ray, rayJob, template, withUndescribedFields } from './ray-manifests.ts';

const SELECTOR = { clusterSelector: { 'ray.io/cluster': 'raycluster' }, rayClusterSpec: undefined };

const withCluster = (cluster: object, rest: object = {}) => rayJob({ rayClusterSpec: clusterSpec(cluster), ...rest });
const restarted = { headGroupSpec: head({ template: template([ray()], { restartPolicy: 'OnFailure' }) }) };

const clusters: RefusedManifest[] = [
  {
    what: 'a job without spec',
    manifest: { apiVersion: 'ray.io/v1', kind: 'RayJob', metadata: { name: 'rayjob' } },
    path: 'spec',
    message: 'Required value',
  },
  {
    what: 'a job without cluster',
    manifest: rayJob({ rayClusterSpec: undefined }),
    path: 'spec.rayClusterSpec',
    message: 'Required value: set rayClusterSpec',
  },
  {
    what: 'an empty selector and no cluster',
    manifest: rayJob({ rayClusterSpec: undefined, clusterSelector: {} }),
    path: 'spec.rayClusterSpec',
    message: 'Required value: set rayClusterSpec',
  },
  {
    what: 'a selector beside a cluster',
    manifest: rayJob({ clusterSelector: SELECTOR.clusterSelector }),
    path: 'spec.clusterSelector',
    message: 'Forbidden: remove it, or rayClusterSpec',
  },
  ...[{ app: 'ray' }, { 'ray.io/cluster': '' }].map((clusterSelector) => ({
    what: `the selector ${JSON.stringify(clusterSelector)}`,
    manifest: rayJob({ ...SELECTOR, clusterSelector }),
    path: 'spec.clusterSelector',
    message: 'Required value: set the key ray.io/cluster to the name of the cluster',
  })),
  {
    what: 'a cluster without head',
    manifest: rayJob({ rayClusterSpec: {} }),
    path: 'spec.rayClusterSpec.headGroupSpec',
    message: 'Required value',
  },
  {
    what: 'a cluster that is invalid as a RayCluster',
    manifest: withCluster({ workerGroupSpecs: [group('small', { minReplicas: 2, maxReplicas: 1 })] }),
    path: 'spec.rayClusterSpec.workerGroupSpecs[0].minReplicas',
    message: 'must not be greater than maxReplicas',
  },
  {
    what: 'a cluster with TLS',
    manifest: withCluster({ tlsOptions: { enabled: true } }),
    path: 'spec.rayClusterSpec.tlsOptions',
    message: 'Forbidden: Muster does not support TLS of Ray',
  },
  {
    what: 'a cluster with an upgrade strategy',
    manifest: withCluster({ upgradeStrategy: { type: 'None' } }),
    path: 'spec.rayClusterSpec.upgradeStrategy',
    message: 'Forbidden: remove it: the cluster of a job is never upgraded',
  },
  {
    what: 'a cluster with tokens of ServiceAccounts',
    manifest: withCluster({ rayVersion: '2.55.0', authOptions: { enableK8sTokenAuth: true } }),
    path: 'spec.rayClusterSpec.authOptions.enableK8sTokenAuth',
    message: 'Forbidden: remove it: a job is submitted with a token from a Secret',
  },
  {
    what: 'a cluster that is suspended',
    manifest: withCluster({ suspend: true }),
    path: 'spec.rayClusterSpec.suspend',
    message: 'Forbidden: set spec.suspend of the job instead',
  },
];

const SIDECAR = { submissionMode: 'SidecarMode' };
const INTERACTIVE = { submissionMode: 'InteractiveMode' };

function submitter(...containers: readonly object[]) {
  return {
    submitterPodTemplate: template(
      containers.map((container, index) => ({ name: `submitter-${index}`, image: 'submitter:1', ...container })),
    ),
  };
}

const OWN_COMMAND = submitter({ command: ['/submitter'] });

const submission: RefusedManifest[] = [
  ...[undefined, '', ' \t\n'].map((entrypoint) => ({
    what: `the entrypoint ${JSON.stringify(entrypoint) ?? 'left out'}`,
    manifest: rayJob({ entrypoint }),
    path: 'spec.entrypoint',
    message: 'Required value: set the command that Ray runs',
  })),
  ...[
    { what: 'a submitter without a command', spec: submitter({}) },
    { what: 'an empty command of the submitter', spec: submitter({ command: [] }) },
    { what: 'arguments of the submitter alone', spec: submitter({ args: ['submit'] }) },
    { what: 'a command of a sidecar of the submitter', spec: submitter({}, { command: ['sleep'] }) },
    { what: 'a command of the submitter in HTTPMode', spec: { ...OWN_COMMAND, submissionMode: 'HTTPMode' } },
  ].map(({ what, spec }) => ({
    what: `no entrypoint, with ${what}`,
    manifest: rayJob({ ...spec, entrypoint: undefined }),
    path: 'spec.entrypoint',
    message: 'Required value: set the command that Ray runs',
  })),
  {
    what: 'an unknown mode',
    manifest: rayJob({ submissionMode: 'SSHMode' }),
    path: 'spec.submissionMode',
    message:
      'Unsupported value: "SSHMode": supported values: "K8sJobMode", "HTTPMode", "SidecarMode", "InteractiveMode"',
  },
  {
    what: 'a sidecar on a selected cluster',
    manifest: rayJob({ ...SIDECAR, ...SELECTOR }),
    path: 'spec.submissionMode',
    message: 'Forbidden: choose another mode',
  },
  {
    what: 'a template of the submitter in SidecarMode',
    manifest: rayJob({ ...SIDECAR, submitterPodTemplate: template() }),
    path: 'spec.submitterPodTemplate',
    message: 'Forbidden: remove it: in SidecarMode',
  },
  {
    what: 'a limit for the submitter in SidecarMode',
    manifest: rayJob({ ...SIDECAR, submitterConfig: { backoffLimit: 1 } }),
    path: 'spec.submitterConfig',
    message: 'Forbidden: remove it: in SidecarMode',
  },
  {
    what: 'a head with restarts by the kubelet in SidecarMode',
    manifest: withCluster(restarted, SIDECAR),
    path: 'spec.rayClusterSpec.headGroupSpec.template.spec.restartPolicy',
    message: 'must be Never or unset',
  },
  {
    what: 'a submitter without containers',
    manifest: rayJob({ submitterPodTemplate: template([]) }),
    path: 'spec.submitterPodTemplate.spec.containers',
    message: 'Required value: a container is needed',
  },
  {
    what: 'metadata with a release that does not support it',
    manifest: withCluster({ rayVersion: '2.5.1' }, { metadata: { team: 'vision' } }),
    path: 'spec.metadata',
    message: 'Forbidden: remove it, or use Ray 2.6.0 or later',
  },
  ...['entrypointNumCpus', 'entrypointNumGpus'].flatMap((field) => [
    {
      what: `a negative ${field}`,
      manifest: rayJob({ [field]: -0.5 }),
      path: `spec.${field}`,
      message: 'Invalid value: -0.5',
    },
    {
      what: `a ${field} in quotes`,
      manifest: rayJob({ [field]: '1' }),
      path: `spec.${field}`,
      message: 'must be of type number',
    },
  ]),
  {
    what: 'a number in quotes where it has to be whole',
    manifest: rayJob({ backoffLimit: '1' }),
    path: 'spec.backoffLimit',
    message: 'must be of type integer',
  },
  {
    what: 'a runtime environment that is not a string',
    manifest: rayJob({ runtimeEnvYAML: { pip: ['requests'] } }),
    path: 'spec.runtimeEnvYAML',
    message: 'must be of type string',
  },
];

const limits: RefusedManifest[] = [
  ...['activeDeadlineSeconds', 'preRunningDeadlineSeconds'].flatMap((field) =>
    [0, -1].map((value) => ({
      what: `a ${field} of ${value}`,
      manifest: rayJob({ [field]: value }),
      path: `spec.${field}`,
      message: `Invalid value: ${value}`,
    })),
  ),
  ...['backoffLimit', 'ttlSecondsAfterFinished'].map((field) => ({
    what: `a negative ${field}`,
    manifest: rayJob({ [field]: -1, shutdownAfterJobFinishes: true }),
    path: `spec.${field}`,
    message: 'Invalid value: -1',
  })),
  {
    what: 'a negative limit for the submitter',
    manifest: rayJob({ submitterConfig: { backoffLimit: -1 } }),
    path: 'spec.submitterConfig.backoffLimit',
    message: 'Invalid value: -1',
  },
  {
    what: 'a time to live without shutdown',
    manifest: rayJob({ ttlSecondsAfterFinished: 60 }),
    path: 'spec.ttlSecondsAfterFinished',
    message: 'Forbidden: set shutdownAfterJobFinishes to true',
  },
  {
    what: 'a job that is suspended without shutdown',
    manifest: rayJob({ suspend: true }),
    path: 'spec.suspend',
    message: 'Forbidden: set shutdownAfterJobFinishes to true',
  },
  {
    what: 'a suspended job on a selected cluster',
    manifest: rayJob({ ...SELECTOR, suspend: true, shutdownAfterJobFinishes: true }),
    path: 'spec.suspend',
    message: 'Forbidden: remove it: a job does not suspend the cluster of clusterSelector',
  },
  {
    what: 'retries on a selected cluster',
    manifest: rayJob({ ...SELECTOR, backoffLimit: 1 }),
    path: 'spec.backoffLimit',
    message: 'Forbidden: must be 0: each retry needs a new cluster',
  },
  {
    what: 'retries in InteractiveMode',
    manifest: rayJob({ ...INTERACTIVE, backoffLimit: 1 }),
    path: 'spec.backoffLimit',
    message: 'Forbidden: must be 0: in InteractiveMode',
  },
  {
    what: 'an unknown manager',
    manifest: rayJob({ managedBy: 'kueue' }),
    path: 'spec.managedBy',
    message: 'Unsupported value: "kueue"',
  },
];

const rule = (policy: string, condition: object) => ({ policy, condition });
const succeeded = (ttlSeconds?: number) => ({
  jobStatus: 'SUCCEEDED',
  ...(ttlSeconds !== undefined && { ttlSeconds }),
});
const withRules = (deletionRules: object[], rest: object = {}) =>
  rayJob({ deletionStrategy: { deletionRules }, ...rest });
const legacy = (onSuccess: string, onFailure: string, rest: object = {}) =>
  rayJob({ deletionStrategy: { onSuccess: { policy: onSuccess }, onFailure: { policy: onFailure } }, ...rest });
const STRATEGY = 'spec.deletionStrategy';
const AUTOSCALED = {
  rayClusterSpec: clusterSpec({ enableInTreeAutoscaling: true, workerGroupSpecs: [group('small')] }),
};

const deletion: RefusedManifest[] = [
  {
    what: 'an empty strategy',
    manifest: rayJob({ deletionStrategy: {} }),
    path: `${STRATEGY}.deletionRules`,
    message: 'Required value: set at least one rule',
  },
  {
    what: 'a strategy with an empty list of rules',
    manifest: withRules([]),
    path: `${STRATEGY}.deletionRules`,
    message: 'Required value: set at least one rule',
  },
  {
    what: 'rules beside the older form',
    manifest: rayJob({
      deletionStrategy: {
        deletionRules: [rule('DeleteSelf', succeeded())],
        onSuccess: { policy: 'DeleteSelf' },
        onFailure: { policy: 'DeleteSelf' },
      },
    }),
    path: STRATEGY,
    message: 'Forbidden: remove onSuccess and onFailure',
  },
  {
    what: 'half of the older form',
    manifest: rayJob({ deletionStrategy: { onSuccess: { policy: 'DeleteSelf' } } }),
    path: STRATEGY,
    message: 'set both onSuccess and onFailure',
  },
  {
    what: 'the older form without policy',
    manifest: rayJob({ deletionStrategy: { onSuccess: {}, onFailure: { policy: 'DeleteSelf' } } }),
    path: `${STRATEGY}.onSuccess.policy`,
    message: 'Required value',
  },
  {
    what: 'rules beside shutdown',
    manifest: withRules([rule('DeleteSelf', succeeded())], { shutdownAfterJobFinishes: true }),
    path: 'spec.shutdownAfterJobFinishes',
    message: 'Forbidden: remove it: deletionStrategy.deletionRules',
  },
  {
    what: 'DeleteNone of the older form beside shutdown',
    manifest: legacy('DeleteCluster', 'DeleteNone', { shutdownAfterJobFinishes: true }),
    path: STRATEGY,
    message: 'DeleteNone contradicts shutdownAfterJobFinishes',
  },
  {
    what: 'an unknown policy',
    manifest: withRules([rule('DeleteAll', succeeded())]),
    path: `${STRATEGY}.deletionRules[0].policy`,
    message: 'Unsupported value: "DeleteAll"',
  },
  {
    what: 'an unknown condition',
    manifest: withRules([rule('DeleteSelf', { jobStatus: 'STOPPED' })]),
    path: `${STRATEGY}.deletionRules[0].condition.jobStatus`,
    message: 'Unsupported value: "STOPPED"',
  },
  ...[{}, { jobStatus: 'FAILED', jobDeploymentStatus: 'Failed' }].map((condition) => ({
    what: `the condition ${JSON.stringify(condition)}`,
    manifest: withRules([rule('DeleteSelf', condition)]),
    path: `${STRATEGY}.deletionRules[0].condition`,
    message: 'set either jobStatus or jobDeploymentStatus',
  })),
  {
    what: 'a negative time of a rule',
    manifest: withRules([rule('DeleteSelf', succeeded(-1))]),
    path: `${STRATEGY}.deletionRules[0].condition.ttlSeconds`,
    message: 'Invalid value: -1',
  },
  {
    what: 'a rule twice',
    manifest: withRules([rule('DeleteSelf', succeeded(1)), rule('DeleteSelf', succeeded(2))]),
    path: `${STRATEGY}.deletionRules`,
    message: 'two rules have the same policy and the same condition',
  },
  ...[
    ['DeleteWorkers', 'DeleteCluster'],
    ['DeleteWorkers', 'DeleteSelf'],
    ['DeleteCluster', 'DeleteSelf'],
  ].map(([part = '', whole = '']) => ({
    what: `${part} after ${whole}`,
    manifest: withRules([rule(part, succeeded(20)), rule(whole, succeeded(10))]),
    path: `${STRATEGY}.deletionRules`,
    message: `ttlSeconds of ${part} must not be greater`,
  })),
  ...['DeleteCluster', 'DeleteWorkers'].flatMap((policy) => [
    {
      what: `${policy} of a selected cluster`,
      manifest: withRules([rule(policy, succeeded())], SELECTOR),
      path: STRATEGY,
      message: 'Forbidden: DeleteCluster and DeleteWorkers are for a cluster that the job creates',
    },
    {
      what: `${policy} of a selected cluster, in the older form`,
      manifest: legacy('DeleteSelf', policy, SELECTOR),
      path: STRATEGY,
      message: 'Forbidden: DeleteCluster and DeleteWorkers are for a cluster that the job creates',
    },
  ]),
  {
    what: 'DeleteWorkers beside the autoscaler',
    manifest: withRules([rule('DeleteWorkers', { jobDeploymentStatus: 'Failed' })], AUTOSCALED),
    path: STRATEGY,
    message: 'Forbidden: DeleteWorkers cannot be used with the autoscaler',
  },
  {
    what: 'DeleteWorkers beside the autoscaler, in the older form',
    manifest: legacy('DeleteWorkers', 'DeleteCluster', AUTOSCALED),
    path: STRATEGY,
    message: 'Forbidden: DeleteWorkers cannot be used with the autoscaler',
  },
];

const LONGEST_NAME = 'n'.repeat(47);

const names: RefusedManifest[] = [
  {
    what: 'a name that starts with a digit',
    manifest: rayJob({}, '1st'),
    path: 'metadata.name',
    message: 'metadata.name must be a DNS label',
  },
  {
    what: 'a name of 48 characters',
    manifest: rayJob({}, `${LONGEST_NAME}n`),
    path: 'metadata.name',
    message: 'metadata.name is too long: shorten it to 47 characters',
  },
];

const accepted: AcceptedManifest[] = [
  ...RAY_JOB_SAMPLES,
  { what: 'the smallest valid spec', manifest: rayJob() },
  { what: 'the longest name', manifest: rayJob({}, LONGEST_NAME) },
  { what: 'no entrypoint in InteractiveMode', manifest: rayJob({ ...INTERACTIVE, entrypoint: undefined }) },
  ...[undefined, ''].flatMap((entrypoint) =>
    [{}, { submissionMode: 'K8sJobMode' }].map((mode) => ({
      what: `the entrypoint ${JSON.stringify(entrypoint) ?? 'left out'}, with a command of the submitter, and ${JSON.stringify(mode)}`,
      manifest: rayJob({ ...OWN_COMMAND, ...mode, entrypoint }),
    })),
  ),
  {
    what: 'the defaults of KubeRay, set by another client',
    manifest: rayJob({ submissionMode: 'K8sJobMode', ttlSecondsAfterFinished: 0, backoffLimit: 0 }),
  },
  {
    what: 'those defaults beside a selector, and in InteractiveMode',
    manifest: rayJob({ ...SELECTOR, ...INTERACTIVE, ttlSecondsAfterFinished: 0, backoffLimit: 0 }),
  },
  { what: 'a head with restarts by the kubelet in K8sJobMode', manifest: withCluster(restarted) },
  { what: 'metadata with a release that is not named', manifest: rayJob({ metadata: { team: 'vision' } }) },
  { what: 'metadata with a later release', manifest: withCluster({ rayVersion: '2.6.0' }, { metadata: { a: 'b' } }) },
  {
    what: 'the older form of deletion beside shutdown and a time to live',
    manifest: legacy('DeleteCluster', 'DeleteWorkers', { shutdownAfterJobFinishes: true, ttlSecondsAfterFinished: 5 }),
  },
  {
    what: 'one policy for several conditions, with times in any order',
    manifest: withRules([
      rule('DeleteSelf', succeeded(10)),
      rule('DeleteSelf', { jobDeploymentStatus: 'Failed', ttlSeconds: 5 }),
      rule('DeleteCluster', { jobStatus: 'FAILED', ttlSeconds: 100 }),
      rule('DeleteCluster', succeeded(10)),
    ]),
  },
  {
    what: 'DeleteSelf and DeleteNone of a job on a selected cluster',
    manifest: withRules([rule('DeleteSelf', succeeded()), rule('DeleteNone', { jobStatus: 'FAILED' })], SELECTOR),
  },
  { what: "another controller's job", manifest: rayJob({ managedBy: 'kueue.x-k8s.io/multikueue' }) },
];

export const RAY_JOB_ADMISSION: AdmissionTable = {
  definition: rayJobDefinition,
  manager: MANAGED_BY_KUBERAY,
  withUndescribedFields,
  leastSpec: jobSpec(),
  filledIn: { submissionMode: 'K8sJobMode' },
  refused: [...clusters, ...submission, ...limits, ...deletion, ...names],
  accepted,
};
