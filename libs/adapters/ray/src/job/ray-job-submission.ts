/** The submission of a RayJob to Ray, the same in every submission mode. */
import type { Problem } from '@muster/common-job-controller';
import type { RayJob, RayJobSpec } from '@muster/job-api';
import { parseYaml, withoutBigInts } from '@muster/kubernetes-yaml';
import type { RayJobSubmission } from './dashboard.ts';

/** The manifest has no problems: its YAML and JSON texts are valid. */
export function raySubmission(spec: RayJobSpec, jobId: string): RayJobSubmission {
  const { entrypoint = '', runtimeEnvYAML = '', metadata = {}, entrypointResources = '' } = spec;
  const { entrypointNumCpus: cpus = 0, entrypointNumGpus: gpus = 0 } = spec;
  const runtimeEnv = runtimeEnvOf(runtimeEnvYAML);
  return {
    entrypoint: entrypoint.trim(),
    submission_id: jobId,
    ...(runtimeEnv !== undefined && { runtime_env: runtimeEnv }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
    ...(cpus > 0 && { entrypoint_num_cpus: cpus }),
    ...(gpus > 0 && { entrypoint_num_gpus: gpus }),
    ...(entrypointResources.trim() !== '' && {
      entrypoint_resources: JSON.parse(entrypointResources) as Record<string, number>,
    }),
  };
}

/** Parsed like kubectl, as in KubeRay. Undefined if empty. @throws Error if it is not YAML, or not a map */
export function runtimeEnvOf(runtimeEnvYAML: string): object | undefined {
  const value = withoutBigInts(parseYaml(runtimeEnvYAML).value);
  if (value === null) return undefined;
  if (typeof value !== 'object' || Array.isArray(value)) throw new Error('must be a map in YAML');
  return value;
}

/** Ignored parts of a valid `runtimeEnvYAML`. */
export function runtimeEnvWarnings({ spec }: RayJob): Problem[] {
  const { warnings } = parseYaml(spec.runtimeEnvYAML ?? '');
  return warnings.map(({ line, problem }) => ({ path: 'spec.runtimeEnvYAML', message: `line ${line}: ${problem}` }));
}
