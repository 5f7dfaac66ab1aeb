/** A reconcile run's observation of a RayJob: cached objects and answers of the dashboard. */
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
  /** The job's own RayCluster of the recorded name, or the one of `clusterSelector`. */
  readonly cluster: RayCluster | undefined;
  /** The RayJob's Job, or in SidecarMode the container in the head pod. */
  readonly submitter: Submitter | undefined;
  /** From the annotation: how long the submitter may run after the end of the job. */
  readonly submitterGraceMs?: number | undefined;
  /** The status of Ray's job. Once the submitter has ended, an older answer is left out. */
  readonly answer: DashboardAnswer | undefined;
  /** How long the submitter has ended while the cluster has no address. Otherwise undefined. */
  readonly unaskableMs?: number | undefined;
  /** Ray reports the node of the entrypoint as dead. */
  readonly isDriverNodeDead: boolean;
  /** K8sJobMode: the session of Ray for the submission, see `readSessionReply`. */
  readonly session: string | undefined;
  /** HTTPMode: the answer to the submission. */
  readonly submission: SubmissionAnswer | undefined;
  readonly stop: StopAnswer | undefined;
  /** The DNS domain of the Kubernetes cluster: `cluster.local`. */
  readonly clusterDomain: string;
}

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
