/** What is known of a RayJob in one pass, read off the caches and off what was asked beside the passes. */
import type { RayCluster, RayJobSpec } from '@muster/job-api';
import type { DashboardAnswer, StopAnswer, SubmissionAnswer } from './dashboard.ts';
import type { RayJobRecord } from './ray-job-status.ts';

export interface ObservedRayJob {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly generation: number | undefined;
  readonly spec: RayJobSpec;
  /** What is on record, see `rayJobRecord`. */
  readonly record: RayJobRecord;
  readonly nowMs: number;
  /** The RayCluster of the name on record: the job's own, or the one that `clusterSelector` names. */
  readonly cluster: RayCluster | undefined;
  /** The Job that the job owns, or in SidecarMode the submitter's container in the head pod. */
  readonly submitter: Submitter | undefined;
  /** For how long the submitter may run on after the end of the job, by its annotation. */
  readonly submitterGraceMs?: number | undefined;
  /** Of the job id on record. Where the submitter has ended, Ray was asked after that end. */
  readonly answer: DashboardAnswer | undefined;
  /** For how long the submitter has ended while the cluster has no address at which Ray can be asked. Undefined of others. */
  readonly unaskableMs?: number | undefined;
  /** Whether Ray says that the node is dead on which `answer` has the entrypoint run. */
  readonly isDriverNodeDead: boolean;
  /** K8sJobMode: the session of Ray to which the job is to be submitted, see `readSessionReply`. */
  readonly session: string | undefined;
  /** HTTPMode: what came of the submission under the job id on record. */
  readonly submission: SubmissionAnswer | undefined;
  /** What came of the request to stop the job of the id on record. */
  readonly stop: StopAnswer | undefined;
  /** The domain of the Kubernetes cluster's DNS: `cluster.local`. */
  readonly clusterDomain: string;
}

/** An observation, and the record with all that it adds. */
export interface View extends ObservedRayJob {
  readonly known: RayJobRecord;
}

export interface Submitter {
  /** Undefined while it may still do something. */
  readonly end?: {
    readonly hasFailed: boolean;
    /** In the words of Kubernetes. */
    readonly message: string;
  };
}
