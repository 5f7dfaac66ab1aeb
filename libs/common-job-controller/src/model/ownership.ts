/** The engine changes and deletes only objects that the job controls, adopts uncontrolled ones with its labels, and touches no others. */
import { apiVersionOf, type KubeObject, type OwnerReference, type Resource } from '@muster/job-api';
import type { TrainingJob } from './training-job.ts';

export type Ownership = 'owned' | 'orphan' | 'foreign';

export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata?.ownerReferences?.find(({ controller }) => controller === true);
}

/** Whether the owner is of this kind, in any version. Several groups have a kind of the same name, for example Job. */
export function isOfKind(owner: OwnerReference, resource: Resource): boolean {
  return owner.kind === resource.kind && groupOf(owner.apiVersion) === groupOf(apiVersionOf(resource));
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
}

/** A job that was deleted and created again has another UID. */
export function ownershipOf(object: KubeObject, jobUid: string): Ownership {
  const controller = controllerOf(object);
  if (controller === undefined) return 'orphan';
  return controller.uid === jobUid ? 'owned' : 'foreign';
}

export function isControlledBy(uid: string | undefined, object: KubeObject): boolean {
  return uid !== undefined && ownershipOf(object, uid) === 'owned';
}

/** In the version in which objects name the job. */
export function jobApiVersion({ resource, ownerVersion }: Pick<TrainingJob, 'resource' | 'ownerVersion'>): string {
  return apiVersionOf({ ...resource, version: ownerVersion ?? resource.version });
}

export function ownerReference(job: Pick<TrainingJob, 'resource' | 'ownerVersion' | 'metadata'>): OwnerReference {
  return {
    apiVersion: jobApiVersion(job),
    kind: job.resource.kind,
    name: job.metadata.name,
    uid: job.metadata.uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** Whether `object` is left from an earlier job of the same kind and name. It will be deleted soon, so the job waits for its name. */
export function isFromEarlierJob(object: KubeObject, job: Pick<TrainingJob, 'resource' | 'metadata'>): boolean {
  if (object.metadata?.deletionTimestamp !== undefined) return true;
  const controller = controllerOf(object);
  return (
    controller !== undefined &&
    controller.uid !== job.metadata.uid &&
    isOfKind(controller, job.resource) &&
    controller.name === job.metadata.name
  );
}

export function nameConflictMessage(kind: string, existing: KubeObject): string {
  const owner = controllerOf(existing);
  const whose = owner === undefined ? 'has no controller' : `is controlled by ${owner.kind} ${owner.name}`;
  const name = existing.metadata?.name;
  return `${kind} ${name} already exists and ${whose}, so it is not changed: delete it or rename this job`;
}
