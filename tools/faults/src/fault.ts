/** A fault of a job, and the expected status and output of `muster why`. */
import type { FailureClass, JobFailure, JobStatus, KubeObject, Resource } from '@muster/job-api';
import type { KubeClient } from '@muster/kube';

/** A job whose status may have the first failure. */
export type FaultyJob = KubeObject & { spec?: object; status?: JobStatus };

export interface Place {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly kubeconfig: string;
  /** The name of the node that is lost. */
  readonly second: string;
  /** Stops the kubelet of that node until the end of the run. */
  readonly stopKubelet: () => void;
  /** Stops the operator of the framework for the rest of the run. */
  readonly stopOperator: (framework: string) => Promise<void>;
}

/** Texts that the output of `muster why` must contain. */
export interface ExpectedAnswer {
  /** In the first line. */
  readonly headline: readonly string[];
  /** In the whole output, including the first line. */
  readonly cause?: readonly string[];
  /** In the first line below `Next:`. */
  readonly next: string;
}

export interface Fault {
  /** Also the name of the job. */
  readonly name: string;
  /** A description for the page. */
  readonly what: string;
  readonly resource: Resource<FaultyJob>;
  readonly spec: object;
  readonly annotations?: Record<string, string>;
  /** Creates what the job needs. */
  prepare?(place: Place): Promise<void>;
  /** Causes the fault when the pod `watched`, or else the one expected to fail, runs. Default: the job causes it. */
  inject?(place: Place): Promise<void>;
  readonly watched?: string;
  /** The expected fields of `status.firstFailure`. Undefined: it is not checked. */
  readonly expected?: { readonly class: FailureClass } & Partial<JobFailure>;
  /** Played after all others, one at a time, because it breaks what they need. */
  readonly isLast?: boolean;
}
