/** Short forms for manifests of the kinds of `ray.io`. */
import type { Manifest } from './admission-table.ts';

export const ray = (fields: object = {}) => ({ name: 'ray', image: 'example.com/ray:2.52.0', ...fields });

export const template = (containers: object[] = [ray()], spec: object = {}) => ({ spec: { containers, ...spec } });

export const head = (fields: object = {}) => ({ template: template(), ...fields });

export const group = (groupName: string, fields: object = {}) => ({ groupName, template: template(), ...fields });

/** The smallest valid cluster, and `rest`. */
export const clusterSpec = (rest: object = {}) => ({ headGroupSpec: head(), ...rest });

/** `spec` of a cluster with fields in the head's template that no schema describes. */
function undescribed(spec: object): object {
  const { headGroupSpec } = spec as { headGroupSpec?: { template?: { spec?: object } } };
  if (headGroupSpec?.template?.spec === undefined) return spec;
  const pod = { ...headGroupSpec.template.spec, affinity: { nodeAffinity: {} }, securityContext: { fsGroup: 1000 } };
  return { ...spec, headGroupSpec: { ...headGroupSpec, template: { ...headGroupSpec.template, spec: pod } } };
}

/** `manifest` of a RayCluster or RayJob with such fields. */
export function withUndescribedFields(manifest: Manifest): Manifest {
  const { spec } = manifest as { spec?: { rayClusterSpec?: object } };
  if (spec?.rayClusterSpec === undefined)
    return spec === undefined ? manifest : { ...manifest, spec: undescribed(spec) };
  return { ...manifest, spec: { ...spec, rayClusterSpec: undescribed(spec.rayClusterSpec) } };
}

export const rayCluster = (rest: object = {}, name = 'raycluster', metadata: object = {}): Manifest => ({
  apiVersion: 'ray.io/v1',
  kind: 'RayCluster',
  metadata: { name, ...metadata },
  spec: clusterSpec(rest),
});

/** The smallest valid job, and `rest`; without the fields that are undefined in `rest`. */
export const jobSpec = (rest: object = {}): object =>
  Object.fromEntries(
    Object.entries({ entrypoint: 'python train.py', rayClusterSpec: clusterSpec(), ...rest }).filter(
      ([, value]) => value !== undefined,
    ),
  );

export const rayJob = (rest: object = {}, name = 'rayjob', metadata: object = {}): Manifest => ({
  apiVersion: 'ray.io/v1',
  kind: 'RayJob',
  metadata: { name, ...metadata },
  spec: jobSpec(rest),
});
