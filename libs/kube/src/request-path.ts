import { apiVersionOf, type KubeObject, type ObjectKey, type Resource } from '@muster/job-api';
import { resourceName } from './resource-name.ts';

export type Query = Record<string, string | number | boolean | undefined>;

/** `/apis/<group>/<version>/…`: a collection, an object, or its subresource. */
export function resourcePath(
  resource: Resource,
  at: { namespace?: string | undefined; name?: string; subresource?: string | undefined },
  query: Query = {},
): string {
  if (resource.namespaced && at.name !== undefined && at.namespace === undefined) {
    throw new TypeError(
      `${resource.plural} "${at.name}" needs a namespace: set it in the key or in the object's metadata.`,
    );
  }
  if (at.name === '') throw new TypeError(`${resource.plural}: the object needs a name.`);
  const root = resource.group === '' ? '/api/' : '/apis/';
  const segments = [
    ...(at.namespace === undefined || !resource.namespaced ? [] : ['namespaces', encodeURIComponent(at.namespace)]),
    resource.plural,
    ...(at.name === undefined ? [] : [encodeURIComponent(at.name)]),
    ...(at.subresource === undefined ? [] : [at.subresource]),
  ];
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== undefined) parameters.set(key, String(value));
  const search = parameters.size === 0 ? '' : `?${parameters.toString()}`;
  return `${root}${apiVersionOf(resource)}/${segments.join('/')}${search}`;
}

/** `create pods "ns/name"`: the start of every error message of a request. */
export function requestTitle(verb: string, resource: Resource, at: Partial<ObjectKey>, subresource?: string): string {
  const name = resourceName(resource);
  const target = subresource === undefined ? name : `${name}/${subresource}`;
  // A TokenRequest or SelfSubjectReview, for example, has no name.
  if (at.name === undefined || at.name === '')
    return at.namespace === undefined ? `${verb} ${target}` : `${verb} ${target} in "${at.namespace}"`;
  return `${verb} ${target} "${at.namespace === undefined ? at.name : `${at.namespace}/${at.name}`}"`;
}

export function keyOf(object: KubeObject): ObjectKey {
  const { namespace, name = '' } = object.metadata ?? {};
  return namespace === undefined ? { name } : { namespace, name };
}
