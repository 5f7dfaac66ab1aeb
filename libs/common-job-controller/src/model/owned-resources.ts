/**
 * Objects that a job has beside pods and Services: its pod group, its autoscaler, what a framework mounts or grants. Each
 * is made before the pods, kept as it should be while the job runs, and found again by its owner. One that belongs to
 * somebody else is never touched.
 */
import type { ApiStatus, KubeObject, Resource } from '@muster/job-api';
import type { TrainingJob } from './training-job.ts';
import { ownershipOf } from './ownership.ts';
import type { ReplicaPod } from './replica-pod.ts';

/** A field that the API server refuses, and its reason (`FieldValueTooMany`). */
type RefusalCause = NonNullable<NonNullable<ApiStatus['details']>['causes']>[number];

/**
 * A kind of owned resources. The operator watches those with the labels of its jobs, of which a cluster may have few among many.
 * One that another operator has made for a job is given them (`label-owned-resources.ts`, and when it is in the way).
 */
export interface OwnedKind<T extends KubeObject = KubeObject> {
  readonly resource: Resource<T>;
  /** Whether it goes when the job is suspended or has ended; the others stay as long as the job. */
  readonly endsWithRun: boolean;
  /** Whether one may be deleted so that another is made in its place (`Recreate`, or a grant of what is not the job's). Default: no. */
  readonly isReplaceable?: boolean;
  /** Whether every one of them has those labels, whoever has made it: no other is looked for. Default: no. */
  readonly isAlwaysLabelled?: boolean;
  /** Whether those that others make for jobs have other labels, and count as well: all are watched. Default: no. */
  readonly hasOtherLabels?: boolean;
  /** Whether Muster makes none, but reads and deletes those that others make for a job, with whatever labels. Default: no. */
  readonly isFromOthers?: boolean;
  /** Whether a job can run without it: one that cannot be made holds nothing else back. */
  readonly isOptional?: boolean;
  /** What to change in the job when the API server's validation refuses one for this cause. */
  readonly hintOn?: (cause: RefusalCause) => string | undefined;
  /** What of it the cache keeps; it is called with whole objects. */
  trim(object: T): T;
}

/** A merge patch, of the whole object or of a subresource. */
export interface ResourceChange {
  readonly patch: object;
  readonly subresource?: 'status';
}

/** An owned resource as the job should have it. */
export interface DesiredResource<T extends KubeObject = KubeObject> {
  readonly resource: Resource<T>;
  readonly object: T;
  /** Of a Service without a selector. One that is there with a selector is left to Kubernetes. */
  readonly leadsTo?: Members;
  /**
   * What makes `existing` what it should be; undefined when it is already. `Recreate`: no patch does, so it is deleted, and made
   * when it is gone; only of a kind that is replaceable.
   */
  change(existing: T): ResourceChange | 'Recreate' | undefined;
}

/**
 * An object that Muster may make and read, but neither list nor watch: a Secret. It is made sure of each time before pods are
 * made that need it.
 */
export interface EnsuredObject {
  readonly resource: Resource;
  /** Whether it stays when the job goes: it has no owner, and one that is there is used whoever has made it. */
  readonly outlivesJob?: boolean;
  /** Without what must not stand in a plan. */
  readonly object: KubeObject;
  /**
   * `object` with that; called when it is made.
   *
   * @param existing what is there, where it does not serve
   */
  complete(object: KubeObject, existing?: KubeObject): KubeObject;
  /** Whether one that is there serves its purpose; one that does not is made complete. */
  serves(existing: KubeObject): boolean;
}

/** An owned resource that is there. */
export interface OwnedResource {
  readonly kind: OwnedKind;
  readonly object: KubeObject;
}

/** Those that the job controls and that are not going. */
export function ownResources(job: Pick<TrainingJob, 'metadata'>, existing: readonly OwnedResource[]): OwnedResource[] {
  return existing.filter(
    ({ object }) =>
      ownershipOf(object, job.metadata.uid) === 'owned' && object.metadata?.deletionTimestamp === undefined,
  );
}

export interface Members {
  readonly replicas: readonly ReplicaPod[];
  /** The role whose pods look the others up: those do not wait for it to be there. Default: all wait for all. */
  readonly seeker?: string;
}
