/** `upgradeStrategy: Recreate` recreates pods with another hash of the spec's relevant parts. */
import { createHash } from 'node:crypto';
import type { RayClusterSpec } from '@muster/job-api';

/** Fields that running pods do not depend on: sizes, suspension, scheduling constraints, and the strategy itself. */
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

/** Values equal to a missing field: an API server with another CRD may set them. */
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

/** For a RayService: as KubeRay, which counts the suspension of a group. */
const NOT_COUNTED_OF_SERVICE = new Set([...NOT_COUNTED].filter((path) => path !== 'spec.workerGroupSpecs[].suspend'));

/**
 * Of the spec from which a RayService creates a cluster, with at most this number of worker groups. Independent of the order
 * of fields and of defaults.
 */
export function serviceSpecHash(spec: RayClusterSpec, groups = Infinity): string {
  const cut = { ...spec, workerGroupSpecs: (spec.workerGroupSpecs ?? []).slice(0, groups) };
  return hashOf(canonical(cut, 'spec', NOT_COUNTED_OF_SERVICE));
}

/** Every pod of a cluster needs it; a stored spec is replaced, never modified. */
const known = new WeakMap<RayClusterSpec, string>();

/** Independent of the order of fields. Never equals a hash of KubeRay. */
export function recreateHash(spec: RayClusterSpec): string {
  const hash = known.get(spec) ?? hashOf(canonical(spec, 'spec', NOT_COUNTED));
  known.set(spec, hash);
  return hash;
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, LENGTH);
}

/** JSON with sorted keys, without the paths `left`. */
function canonical(value: unknown, path: string, left: ReadonlySet<string>): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, `${path}[]`, left)).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const fields = Object.entries(value)
    .filter(([key, item]) => !left.has(`${path}.${key}`) && !saysNothing(`${path}.${key}`, item))
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, item]) => `${JSON.stringify(key)}:${canonical(item, `${path}.${key}`, left)}`);
  return `{${fields.join()}}`;
}
