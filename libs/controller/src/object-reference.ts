/** The kind is taken from the resource, because items of lists and watches may lack it. */
import { apiVersionOf, type Event, type KubeObject, type Resource } from '@muster/job-api';

export type ObjectReference = NonNullable<Event['regarding']>;

/** The reference by which `kubectl describe` finds the events of `object`. */
export function objectReference(resource: Resource, object: KubeObject): ObjectReference {
  const { name, namespace, uid } = object.metadata ?? {};
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
    ...(uid === undefined ? {} : { uid }),
  };
}
