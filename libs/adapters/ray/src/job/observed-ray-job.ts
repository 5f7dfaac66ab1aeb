/** What a reconcile run observes of a RayJob: objects of the caches and answers of the dashboard. */
import type { RayCluster, RayJobSpec } from '@muster/job-api';
import type { DashboardAnswer, StopAnswer, SubmissionAnswer } from './dashboard.ts';
import type { RayJobRecord } from './ray-job-status.ts';

export interface ObservedRayJob {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly generation: number | undefined;
  readonly spec: RayJobSpec;
  /** The stored status, see `rayJobRecord`. */
  readonly record: RayJobRecord;
  readonly nowMs: number;
  /** The job's own RayCluster of the recorded name, or the one that `clusterSelector` names. */
  readonly cluster: RayCluster | undefined;
  /** The Job that the RayJob owns, or in SidecarMode the container in the head pod. */
  readonly submitter: Submitter | undefined;
  /** By annotation: how long the submitter may run after the end of the job. */
  readonly submitterGraceMs?: number | undefined;
  /** The status of Ray's job. Once the submitter has ended, an answer from before that end is left out. */
  readonly answer: DashboardAnswer | undefined;
  /** For how long the submitter has ended while the cluster has no address. Undefined otherwise. */
  readonly unaskableMs?: number | undefined;
  /** Whether Ray reports the node of the entrypoint as dead. */
  readonly isDriverNodeDead: boolean;
  /** K8sJobMode: the session of Ray for the submission, see `readSessionReply`. */
  readonly session: string | undefined;
  /** HTTPMode: the answer to the submission. */
  readonly submission: SubmissionAnswer | undefined;
  /** The answer to the request to stop the job. */
  readonly stop: StopAnswer | undefined;
  /** The domain of the Kubernetes cluster's DNS: `cluster.local`. */
  readonly clusterDomain: string;
}

/** An observation, and the record that it updates. */
export interface View extends ObservedRayJob {
  readonly known: RayJobRecord;
}

export interface Submitter {
  /** Undefined while it runs. */
  readonly end?: {
    readonly hasFailed: boolean;
    /** Reason and message of Kubernetes. */
    readonly message: string;
  };
}
