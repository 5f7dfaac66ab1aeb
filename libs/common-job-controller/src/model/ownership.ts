/**
 * Whose a pod or Service is. The engine changes and deletes only what the job controls; it takes up what belongs to
 * nobody and carries the job's labels; it never touches what another owner controls.
 */
import { apiVersionOf, type KubeObject, type OwnerReference, type Resource } from '@muster/job-api';
import type { TrainingJob } from './training-job.ts';

export type Ownership = 'owned' | 'orphan' | 'foreign';

export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata?.ownerReferences?.find(({ controller }) => controller === true);
}

/** Whether the owner is of this kind, in whatever version. Kinds of several groups have one name: Job, for instance. */
export function isOfKind(owner: OwnerReference, resource: Resource): boolean {
  return owner.kind === resource.kind && groupOf(owner.apiVersion) === groupOf(apiVersionOf(resource));
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
}

/** How `object` stands to the job with this UID. A job that was deleted and created anew has another UID. */
export function ownershipOf(object: KubeObject, jobUid: string): Ownership {
  const controller = controllerOf(object);
  if (controller === undefined) return 'orphan';
  return controller.uid === jobUid ? 'owned' : 'foreign';
}

/** Whether the object with this UID controls `object`. */
export function isControlledBy(uid: string | undefined, object: KubeObject): boolean {
  return uid !== undefined && ownershipOf(object, uid) === 'owned';
}

export function ownerReference(job: Pick<TrainingJob, 'resource' | 'metadata'>): OwnerReference {
  return {
    apiVersion: apiVersionOf(job.resource),
    kind: job.resource.kind,
    name: job.metadata.name,
    uid: job.metadata.uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

/**
 * Whether `object` is what is left of an earlier job of the same kind and name: it is about to go, so its name is worth
 * waiting for.
 */
export function isLeftover(object: KubeObject, job: Pick<TrainingJob, 'resource' | 'metadata'>): boolean {
  if (object.metadata?.deletionTimestamp !== undefined) return true;
  const controller = controllerOf(object);
  return (
    controller !== undefined &&
    controller.uid !== job.metadata.uid &&
    isOfKind(controller, job.resource) &&
    controller.name === job.metadata.name
  );
}

/** What there is to say of an object of that kind whose name a job needs, and that is not the job's. */
export function takenBy(kind: string, existing: KubeObject): string {
  const owner = controllerOf(existing);
  const whose = owner === undefined ? 'nobody' : `${owner.kind} ${owner.name}`;
  const name = existing.metadata?.name;
  return `${kind} ${name} exists already and is controlled by ${whose}, so it is left alone: delete it or rename this job`;
}
