/**
 * Objects that a job has beside pods and Services: its pod group, its autoscaler, and what a framework mounts or grants. Each is created
 * before the pods and corrected while the job runs. It is found by its owner reference. Objects of another owner are never touched.
 */
import type { ApiStatus, KubeObject, Resource } from '@muster/job-api';
import type { TrainingJob } from './training-job.ts';
import { ownershipOf } from './ownership.ts';
import type { ReplicaPod } from './replica-pod.ts';

/** A field that the API server refused, and why (for example `FieldValueTooMany`). */
type RefusalCause = NonNullable<NonNullable<ApiStatus['details']>['causes']>[number];

/**
 * A kind of owned resources. The operator watches the objects with its jobs' labels: a cluster may have many others. Objects that another
 * operator created for a job get the labels first (`label-owned-resources.ts`), also when one blocks a name.
 */
export interface OwnedKind<T extends KubeObject = KubeObject> {
  readonly resource: Resource<T>;
  /** Whether it is deleted when the job is suspended or has ended. Other kinds are kept as long as the job. */
  readonly endsWithRun: boolean;
  /** Whether an object may be deleted to create another in its place (`Recreate`, or a grant that is not the job's). Default: no. */
  readonly isReplaceable?: boolean;
  /** Whether all objects of the kind have the labels, so no others need to be found. Default: no. */
  readonly isAlwaysLabelled?: boolean;
  /** Whether other operators' objects for the job count as well, with other labels. All objects are watched then. Default: no. */
  readonly hasOtherLabels?: boolean;
  /** Whether Muster creates none of the kind, but reads and deletes those that other operators create for a job. Default: no. */
  readonly isFromOthers?: boolean;
  /** Whether the job can run without it. If its creation fails, nothing else waits. */
  readonly isOptional?: boolean;
  /** What the user should change in the job when the API server refuses the object for this cause. */
  readonly hintOn?: (cause: RefusalCause) => string | undefined;
  /** Keeps what the cache needs of a whole object. */
  trim(object: T): T;
}

/** A merge patch of the whole object or of a subresource. */
export interface ResourceChange {
  readonly patch: object;
  readonly subresource?: 'status';
}

/** An owned resource in its desired state. */
export interface DesiredResource<T extends KubeObject = KubeObject> {
  readonly resource: Resource<T>;
  readonly object: T;
  /** The endpoints of a Service without selector. An existing Service with a selector is left to Kubernetes. */
  readonly leadsTo?: Members;
  /**
   * The change that brings `existing` into the desired state. Undefined if there is none to make. `Recreate` if no patch can: the object is
   * deleted, and created once it is gone. Only for a replaceable kind.
   */
  change(existing: T): ResourceChange | 'Recreate' | undefined;
}

/**
 * An object that Muster may create and read, but neither list nor watch, for example a Secret. Before pods that need it are created, it is
 * ensured each time.
 */
export interface EnsuredObject {
  readonly resource: Resource;
  /** Whether it outlives the job: it has no owner, and an existing one is used whoever created it. */
  readonly outlivesJob?: boolean;
  /** Without values that must not appear in a plan. */
  readonly object: KubeObject;
  /**
   * Adds these values. Called when the object is created.
   *
   * @param existing the object in the cluster, if it does not serve
   */
  complete(object: KubeObject, existing?: KubeObject): KubeObject;
  /** Whether an existing object is usable. If not, it is completed. */
  serves(existing: KubeObject): boolean;
}

/** An owned resource in the cluster. */
export interface OwnedResource {
  readonly kind: OwnedKind;
  readonly object: KubeObject;
}

/** Resources that the job controls and that are not being deleted. */
export function ownResources(job: Pick<TrainingJob, 'metadata'>, existing: readonly OwnedResource[]): OwnedResource[] {
  return existing.filter(
    ({ object }) =>
      ownershipOf(object, job.metadata.uid) === 'owned' && object.metadata?.deletionTimestamp === undefined,
  );
}

export interface Members {
  readonly replicas: readonly ReplicaPod[];
  /** The role whose pods resolve the other pods' names: the other pods do not wait for the Service. Default: every pod waits. */
  readonly seeker?: string;
}
