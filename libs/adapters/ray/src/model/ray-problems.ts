/** Problems of a RayCluster or RayJob: what admission refuses, and what CRD rules cannot check. */
import type { Problem } from '@muster/common-job-controller';
import {
  admitted,
  problemsOf,
  rayClusterDefinition,
  rayJobDefinition,
  type RayCluster,
  type RayClusterSpec,
  type RayJob,
} from '@muster/job-api';
import { runtimeEnvOf } from '../job/ray-job-submission.ts';
import { gcsVolumeProblems } from './gcs-volume-problems.ts';
import { groupSizeProblems } from './group-size-problems.ts';
import { nodeLabelProblems } from './node-label-problems.ts';
import { isTrue } from './cluster-annotations.ts';
import { RAY_ANNOTATIONS, RAY_LABELS } from './ray-labels.ts';

type Annotations = Readonly<Record<string, string>>;

/** In the order of the manifest; the additional checks run only if admission finds no problem. */
export function rayClusterProblems(manifest: RayCluster): Problem[] {
  const problems = problemsOf(rayClusterDefinition, manifest);
  if (problems.length > 0) return problems;
  const cluster = admitted(rayClusterDefinition, manifest);
  return [...clusterProblems(cluster.spec, 'spec', cluster.metadata?.annotations ?? {}), ...originProblems(cluster)];
}

/** A job's annotations are those of its cluster as well. */
export function rayJobProblems(manifest: RayJob): Problem[] {
  const problems = problemsOf(rayJobDefinition, manifest);
  if (problems.length > 0) return problems;
  const { metadata, spec } = admitted(rayJobDefinition, manifest);
  const { runtimeEnvYAML = '', entrypointResources = '', rayClusterSpec } = spec;
  return [
    ...unless(isRuntimeEnv(runtimeEnvYAML), 'spec.runtimeEnvYAML', 'Invalid value: must be a map in YAML'),
    ...unless(
      entrypointResources.trim() === '' || isResources(entrypointResources),
      'spec.entrypointResources',
      `Invalid value: ${JSON.stringify(entrypointResources)}: must be a map of names to numbers in JSON, as {"disk": 1}`,
    ),
    ...(rayClusterSpec === undefined
      ? []
      : clusterProblems(rayClusterSpec, 'spec.rayClusterSpec', metadata?.annotations ?? {})),
  ];
}

/** @param path of the spec in the manifest */
export function clusterProblems(spec: RayClusterSpec, path: string, annotations: Annotations): Problem[] {
  return [
    ...faultToleranceProblems(spec, path, annotations),
    ...nodeLabelProblems(spec, path),
    ...groupSizeProblems(spec, path),
    ...gcsVolumeProblems(spec, path),
  ];
}

function faultToleranceProblems(spec: RayClusterSpec, path: string, annotations: Annotations): Problem[] {
  const { ftEnabled, externalStorageNamespace } = RAY_ANNOTATIONS;
  const byOptions = spec.gcsFaultToleranceOptions !== undefined;
  const env = spec.headGroupSpec.template.spec?.containers[0]?.env ?? [];
  return [
    ...unless(
      /^(|true|false)$/i.test(annotations[ftEnabled] ?? ''),
      annotationPath(ftEnabled),
      `Invalid value: ${JSON.stringify(annotations[ftEnabled])}: must be "true" or "false"`,
    ),
    ...[ftEnabled, externalStorageNamespace].flatMap((key) =>
      unless(
        !byOptions || (annotations[key] ?? '') === '',
        annotationPath(key),
        'Forbidden: remove it: gcsFaultToleranceOptions replaces it',
      ),
    ),
    ...unless(
      byOptions || isTrue(annotations[ftEnabled]) || !env.some(({ name }) => name === 'RAY_REDIS_ADDRESS'),
      `${path}.headGroupSpec.template.spec.containers[0].env`,
      'Forbidden: RAY_REDIS_ADDRESS is for GCS fault tolerance: name the Redis in gcsFaultToleranceOptions, or remove it',
    ),
  ];
}

/** The owner of the cluster is responsible for its changes, too. */
function originProblems({ metadata, spec }: RayCluster): Problem[] {
  const maker = metadata?.labels?.[RAY_LABELS.originKind] ?? '';
  return unless(
    spec.upgradeStrategy?.type === undefined || !['RayJob', 'RayService'].includes(maker),
    'spec.upgradeStrategy',
    `Forbidden: remove it: a ${maker} creates this cluster`,
  );
}

function isRuntimeEnv(text: string): boolean {
  try {
    runtimeEnvOf(text);
    return true;
  } catch {
    return false;
  }
}

function isResources(text: string): boolean {
  try {
    const resources: unknown = JSON.parse(text);
    if (typeof resources !== 'object' || resources === null || Array.isArray(resources)) return false;
    return Object.values(resources).every((amount) => typeof amount === 'number' && amount >= 0);
  } catch {
    return false;
  }
}

function annotationPath(key: string): string {
  return `metadata.annotations[${key}]`;
}

function unless(isGood: boolean, path: string, message: string): Problem[] {
  return isGood ? [] : [{ path, message }];
}
