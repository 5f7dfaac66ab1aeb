/** One thing that goes wrong in a job, and what its status and `muster why` are to report. */
import type { FailureClass, JobFailure, JobStatus, KubeObject, Resource } from '@muster/job-api';
import type { KubeClient } from '@muster/kube';

/** A job whose status says what failed first. */
export type FaultyJob = KubeObject & { spec?: object; status?: JobStatus };

export interface Place {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly kubeconfig: string;
  /** The name of the node that may be lost. */
  readonly second: string;
  /** Stops the kubelet of that node until the run is over. */
  readonly stopKubelet: () => void;
  /** Stops the operator of the framework for the rest of the run. */
  readonly stopOperator: (framework: string) => Promise<void>;
}

/** What `muster why` prints of the job. Each text is a part of what is expected. */
export interface ExpectedAnswer {
  /** Of the first line. */
  readonly headline: readonly string[];
  /** Of the whole answer, which includes the first line. */
  readonly cause?: readonly string[];
  /** Of the first command under `Next:`. */
  readonly next: string;
}

export interface Fault {
  /** The name of the job, too. */
  readonly name: string;
  /** What is done, for people. */
  readonly what: string;
  readonly resource: Resource<FaultyJob>;
  readonly spec: object;
  readonly annotations?: Record<string, string>;
  /** What has to be there before. */
  prepare?(place: Place): Promise<void>;
  /** What is done to the job once the pod runs that is to fail, or `watched`. Default: it does it to itself. */
  inject?(place: Place): Promise<void>;
  readonly watched?: string;
  /** What `status.firstFailure` is to say: all of it has to be so. Undefined: nothing. */
  readonly expected?: { readonly class: FailureClass } & Partial<JobFailure>;
  /** Played after all others, one after another, because it breaks what those need. */
  readonly isLast?: boolean;
}
