/**
 * Which object an event is about. Objects from lists and watches do not always say their own kind, so it is taken from
 * the resource they were read as.
 */
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
