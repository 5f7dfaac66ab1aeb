/** What of a RayCluster's spec its pods are made from, in a word: under `upgradeStrategy: Recreate` another word means new pods. */
import { createHash } from 'node:crypto';
import type { RayClusterSpec } from '@muster/job-api';

/** What changes while pods go on as they are: sizes, suspension, where they may be placed, and the strategy itself. */
const NOT_COUNTED = new Set([
  'spec.upgradeStrategy',
  'spec.suspend',
  'spec.managedBy',
  'spec.workerGroupSpecs[].replicas',
  'spec.workerGroupSpecs[].minReplicas',
  'spec.workerGroupSpecs[].maxReplicas',
  'spec.workerGroupSpecs[].scaleStrategy',
  'spec.workerGroupSpecs[].suspend',
  'spec.workerGroupSpecs[].template.spec.tolerations',
  'spec.workerGroupSpecs[].template.spec.schedulingGates',
  'spec.headGroupSpec.template.spec.tolerations',
  'spec.headGroupSpec.template.spec.schedulingGates',
]);

/** What means the same as nothing: an API server with another CustomResourceDefinition may fill it in. */
function saysNothing(path: string, value: unknown): boolean {
  if (value === undefined) return true;
  if (path === 'spec.workerGroupSpecs[].numOfHosts') return value === 1;
  return (
    /\.(rayStartParams|resources|labels)$/.test(path) &&
    typeof value === 'object' &&
    Object.keys(value ?? {}).length === 0
  );
}

const LENGTH = 32;

/** Every pod of a cluster asks; a stored spec is never changed, only replaced. */
const known = new WeakMap<RayClusterSpec, string>();

/** The same for the same spec, in whatever order its fields stand. No hash of KubeRay's equals it. */
export function recreateHash(spec: RayClusterSpec): string {
  const hash = known.get(spec) ?? createHash('sha256').update(canonical(spec, 'spec')).digest('hex').slice(0, LENGTH);
  known.set(spec, hash);
  return hash;
}

/** JSON with sorted keys, without {@link NOT_COUNTED}. */
function canonical(value: unknown, path: string): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, `${path}[]`)).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const fields = Object.entries(value)
    .filter(([key, item]) => !NOT_COUNTED.has(`${path}.${key}`) && !saysNothing(`${path}.${key}`, item))
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, item]) => `${JSON.stringify(key)}:${canonical(item, `${path}.${key}`)}`);
  return `{${fields.join()}}`;
}
