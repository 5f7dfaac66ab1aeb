/** Objects that a job's spec names and that are not its own: a runtime, a cluster, a queue. Their changes concern the job. */
import type { KubeObject, Resource } from '@muster/job-api';

/** A kind of objects that jobs refer to. The operator watches all of it in the namespaces of its jobs. */
export interface ReferenceKind<T extends KubeObject = KubeObject> {
  readonly resource: Resource<T>;
  /** What of it the cache keeps; it is called with whole objects. */
  trim(object: T): T;
}

export interface Reference {
  readonly resource: Resource;
  /** Undefined of an object that is in no namespace. Default: the job's. */
  readonly namespace?: string;
  readonly name: string;
  /** Without it nothing is made for the job; it says what it waits for. A job that runs goes on. */
  readonly isRequired: boolean;
  /** Where the spec names it, in the API server's spelling: `spec.runtimeRef.name`. */
  readonly path: string;
}

/** A reference and what it leads to. */
export interface Referenced extends Reference {
  /** Undefined where there is no such object. */
  readonly object: KubeObject | undefined;
}

/** The index of jobs by what they refer to. */
export const BY_REFERENCE = 'reference';

/** `<plural>.<group>/<namespace>/<name>`: how a job finds what it refers to, and the other way round. */
export function referenceKey({ group, plural }: Resource, namespace: string | undefined, name: string): string {
  return `${plural}.${group}/${namespace ?? ''}/${name}`;
}
