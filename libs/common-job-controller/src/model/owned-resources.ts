/** A job's objects beside pods and Services: created before the pods, corrected while the job runs. Objects of others are not touched. */
import type { ApiStatus, KubeObject, Resource } from '@muster/job-api';
import type { TrainingJob } from './training-job.ts';
import { ownershipOf } from './ownership.ts';
import type { ReplicaPod } from './replica-pod.ts';

type RefusalCause = NonNullable<NonNullable<ApiStatus['details']>['causes']>[number];

/**
 * The operator watches only objects with its jobs' labels, because a cluster may have many others. Objects that another operator created
 * for a job get the labels first (`label-owned-resources.ts`).
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
  /** Whether the cluster may not serve the kind: only jobs that need it are affected. Default: the operator waits for it. */
  readonly mayBeAbsent?: boolean;
  /** Whether the job can run without it. If its creation fails, nothing else waits. */
  readonly isOptional?: boolean;
  /** What the user should change in the job when the API server refuses the object for this cause. */
  readonly hintOn?: (cause: RefusalCause) => string | undefined;
  trim(object: T): T;
}

export interface ResourceChange {
  readonly patch: object;
  readonly subresource?: 'status';
}

export interface DesiredResource<T extends KubeObject = KubeObject> {
  readonly resource: Resource<T>;
  readonly object: T;
  /** The endpoints, for a Service without selector. Kubernetes maintains those of a Service with one. */
  readonly endpoints?: Members;
  /** Undefined: nothing to change. `Recreate`, for replaceable kinds only: the object is deleted, and created once it is gone. */
  change(existing: T): ResourceChange | 'Recreate' | undefined;
}

/** An object that Muster may create and read, but neither list nor watch (a Secret). It is ensured before each creation of pods. */
export interface EnsuredObject {
  readonly resource: Resource;
  /** Whether it outlives the job: it has no owner, and an existing one is used, also of another owner. */
  readonly outlivesJob?: boolean;
  /** Without values that must not appear in a plan. */
  readonly object: KubeObject;
  /** Adds these values. `existing`: the object in the cluster, if it does not serve. */
  complete(object: KubeObject, existing?: KubeObject): KubeObject;
  /** Whether an existing object is usable. If not, it is completed. */
  serves(existing: KubeObject): boolean;
}

export interface OwnedResource {
  readonly kind: OwnedKind;
  readonly object: KubeObject;
}

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
