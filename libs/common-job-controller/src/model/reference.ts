/** Objects that a job's spec names and does not own: a runtime, a cluster, a queue. The job is reconciled when they change. */
import type { KubeObject, Resource } from '@muster/job-api';

export interface ReferenceKind<T extends KubeObject = KubeObject> {
  readonly resource: Resource<T>;
  trim(object: T): T;
}

export interface Reference {
  readonly resource: Resource;
  /** Undefined for cluster-scoped objects. Default: the job's namespace. */
  readonly namespace?: string;
  readonly name: string;
  /** Whether a job waits, without any objects, until it exists. A running job goes on without it. */
  readonly isRequired: boolean;
  /** The field of the spec, in the API server's format: `spec.runtimeRef.name`. */
  readonly path: string;
}

export interface Referenced extends Reference {
  readonly object: KubeObject | undefined;
}

export const BY_REFERENCE = 'reference';

/** `<plural>.<group>/<namespace>/<name>`: the key under which jobs and referenced objects find each other. */
export function referenceKey({ group, plural }: Resource, namespace: string | undefined, name: string): string {
  return `${plural}.${group}/${namespace ?? ''}/${name}`;
}
