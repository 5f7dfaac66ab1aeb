/** One thing that goes wrong in a job, and what its status is to say of it. */
import type { FailureClass, JobFailure, JobStatus, KubeObject, Resource } from '@muster/job-api';
import type { KubeClient } from '@muster/kube';

/** A job whose status says what failed first. */
export type FaultyJob = KubeObject & { spec?: object; status?: JobStatus };

export interface Place {
  readonly client: KubeClient;
  readonly namespace: string;
  /** The name of the node that may be lost. */
  readonly second: string;
  /** Stops the kubelet of that node until the run is over. */
  readonly stopKubelet: () => void;
}

export interface Fault {
  /** The name of the job, too. */
  readonly name: string;
  /** What is done, for people. */
  readonly what: string;
  readonly resource: Resource<FaultyJob>;
  readonly spec: object;
  /** What has to be there before. */
  prepare?(place: Place): Promise<void>;
  /** What is done to the job once it runs. Default: it does it to itself. */
  inject?(place: Place): Promise<void>;
  /** What `status.firstFailure` is to say: all of it has to be so. */
  readonly expected: { readonly pod: string; readonly class: FailureClass } & Partial<JobFailure>;
}
