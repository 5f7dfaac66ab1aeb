/**
 * Fields that have no effect because of another field: they are reported. Fields that would change what runs and are
 * not supported are refused instead, by the rules of the kinds.
 */
import type { Problem } from '@muster/common-job-controller';
import {
  hasOwnSubmitCommand,
  RAY_CLUSTER_LABEL,
  type RayCluster,
  type RayClusterSpec,
  type RayJob,
  type RayJobSpec,
} from '@muster/job-api';
import { RAY_ANNOTATIONS } from './ray-labels.ts';

interface IgnoredField<Spec> {
  /** Relative to the spec. */
  readonly path: string;
  readonly isIgnored: (spec: Spec) => boolean;
  readonly why: string;
}

const IN_CLUSTERS: readonly IgnoredField<RayClusterSpec>[] = [
  {
    path: 'autoscalerOptions',
    isIgnored: ({ autoscalerOptions, enableInTreeAutoscaling }) =>
      autoscalerOptions !== undefined && enableInTreeAutoscaling !== true,
    why: 'no autoscaler runs: set enableInTreeAutoscaling to true',
  },
  {
    path: 'headGroupSpec.ingressOptions',
    isIgnored: ({ headGroupSpec: { ingressOptions, enableIngress } }) =>
      ingressOptions !== undefined && enableIngress !== true,
    why: 'no Ingress is created: set enableIngress to true',
  },
  {
    path: 'authOptions.secretName',
    isIgnored: ({ authOptions }) => authOptions?.secretName !== undefined && authOptions.mode === 'disabled',
    why: 'mode disabled requires no token',
  },
  {
    path: 'gcsFaultToleranceOptions.storage.deletionPolicy',
    isIgnored: ({ gcsFaultToleranceOptions }) =>
      gcsFaultToleranceOptions?.storage?.deletionPolicy !== undefined &&
      (gcsFaultToleranceOptions.storage.claimName ?? '') !== '',
    why: 'the claim in claimName is never deleted',
  },
  {
    path: 'tlsOptions',
    isIgnored: ({ tlsOptions }) => tlsOptions !== undefined,
    why: 'Muster does not configure TLS in Ray',
  },
];

const isInteractive = ({ submissionMode }: RayJobSpec) => submissionMode === 'InteractiveMode';
const hasNoSubmitter = ({ submissionMode }: RayJobSpec) => ['HTTPMode', 'InteractiveMode'].includes(submissionMode);
const selects = ({ clusterSelector = {} }: RayJobSpec) => Object.keys(clusterSelector).length > 0;

const SUBMISSION_FIELDS = [
  'entrypoint',
  'runtimeEnvYAML',
  'metadata',
  'entrypointNumCpus',
  'entrypointNumGpus',
  'entrypointResources',
] as const;

const IN_JOBS: readonly IgnoredField<RayJobSpec>[] = [
  ...SUBMISSION_FIELDS.map((path) => ({
    path,
    isIgnored: (spec: RayJobSpec) => isInteractive(spec) && spec[path] !== undefined,
    why: 'in InteractiveMode you submit the job yourself',
  })),
  ...SUBMISSION_FIELDS.map((path) => ({
    path,
    isIgnored: (spec: RayJobSpec) => hasOwnSubmitCommand(spec) && spec[path] !== undefined,
    why: 'the command of submitterPodTemplate submits the job',
  })),
  ...(['submitterPodTemplate', 'submitterConfig'] as const).map((path) => ({
    path,
    isIgnored: (spec: RayJobSpec) => hasNoSubmitter(spec) && spec[path] !== undefined,
    why: 'there is no submitter in this submissionMode',
  })),
  {
    path: 'shutdownAfterJobFinishes',
    isIgnored: (spec) => selects(spec) && spec.shutdownAfterJobFinishes === true,
    why: 'the cluster of clusterSelector is never deleted',
  },
  {
    path: 'clusterSelector',
    isIgnored: ({ clusterSelector = {} }) => Object.keys(clusterSelector).some((key) => key !== RAY_CLUSTER_LABEL),
    why: `only the key ${RAY_CLUSTER_LABEL} selects a cluster`,
  },
];

/** For a valid cluster; emitted as events of type Warning. */
export function ignoredClusterFields({ metadata, spec }: RayCluster): Problem[] {
  return [...ignoredIn(IN_CLUSTERS, spec, 'spec'), ...ignoredAnnotations(metadata?.annotations)];
}

/** For a valid spec at another path, such as that of a RayService. */
export function ignoredSpecFields(spec: RayClusterSpec, at: string): Problem[] {
  return ignoredIn(IN_CLUSTERS, spec, at);
}

/** For a valid job. */
export function ignoredJobFields({ metadata, spec }: RayJob): Problem[] {
  const { rayClusterSpec } = spec;
  return [
    ...ignoredIn(IN_JOBS, spec, 'spec'),
    ...(rayClusterSpec === undefined ? [] : ignoredIn(IN_CLUSTERS, rayClusterSpec, 'spec.rayClusterSpec')),
    ...ignoredAnnotations(metadata?.annotations),
  ];
}

function ignoredIn<Spec>(fields: readonly IgnoredField<Spec>[], spec: Spec, at: string): Problem[] {
  return fields
    .filter(({ isIgnored }) => isIgnored(spec))
    .map(({ path, why }) => ({ path: `${at}.${path}`, message: `ignored: ${why}` }));
}

function ignoredAnnotations(annotations: Readonly<Record<string, string>> = {}): Problem[] {
  const key = RAY_ANNOTATIONS.gcsFtDeletionTimeout;
  const timeout = annotations[key];
  return timeout === undefined || /^\d+$/.test(timeout)
    ? []
    : [
        {
          path: `metadata.annotations[${key}]`,
          message: 'ignored: must be a whole number of seconds; the default of 300 applies',
        },
      ];
}
