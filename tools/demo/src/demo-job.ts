/**
 * Describes what the demo shows of a framework: its manifests, the steps while the jobs run, and the expectations. A framework needs
 * a file in `frameworks/` and a line in `frameworks.ts`.
 */
import type { FrameworkName, JobStatus, KubeObject, Pod, Resource } from '@muster/job-api';
import type { KubeClient } from '@muster/kube';
import type { ImageName } from '@muster/images';
import type { Reporter } from './reporting-pod.ts';
import type { TrainingLog } from './training-log.ts';

export interface DemoFramework {
  readonly name: FrameworkName;
  /** The image of pods on the local cluster. */
  readonly image: { readonly name: ImageName; readonly reference: string };
  /** Further images of some pods. Clusters other than the local one may lack them. */
  readonly furtherImages?: readonly ImageName[];
  /** The program of the pods, a file beside the manifests. The user's image gets it from a ConfigMap. */
  readonly program: string;
  /** Additional flags of the operator. */
  readonly operatorFlags: readonly string[];
  readonly jobs: readonly DemoJob[];
}

/** A job of any kind. */
export type JobObject = KubeObject & { readonly status?: object };

/** How to read jobs whose labels and status differ from Kubeflow's. */
export interface KindView {
  /** The label selector for the pods of the job. */
  readonly podSelector: (name: string) => string;
  readonly statusOf: (status: object) => JobStatus;
}

export interface DemoJob {
  /** File in `examples/<framework>`. */
  readonly manifest: string;
  readonly resource: Resource<JobObject>;
  /** Default: as for Kubeflow's kinds. */
  readonly view?: KindView;
  /** Additional environment variables of all containers. */
  readonly env?: Readonly<Record<string, string>>;
  /** The pod whose log has the training progress. */
  readonly reporter: Reporter;
  /** Whether it needs the framework's further images. Then it is not shown with --image. */
  readonly needsFurtherImages?: boolean;
  /** Whether its pods must run a program. Then it is not shown on simulated nodes. */
  readonly needsRealPods?: boolean;
  /** Whether the job is over, for jobs that never end. Default: when it has a completionTime. */
  readonly isOver?: (seen: Pick<Observation, 'status' | 'pods'>) => boolean;
  /** Run one after the other while the job runs. */
  readonly steps: readonly Step[];
  /** Checked when the job has ended. */
  readonly expectations: readonly Expectation[];
}

/** A change of a job, or a state to wait for. */
export interface Step {
  /** The expected result, for the user: "is scaled to 3 workers while it runs". */
  readonly expectation: string;
  /** What happens during the step, in at most 17 characters: "scaling to 3". */
  readonly now: string;
  /** Resolves with what shows the result. Throws if the result was not reached. */
  readonly run: (job: RunningJob) => Promise<string>;
}

/** An expectation for an ended job. */
export interface Expectation {
  /** A sentence as in `Step`. */
  readonly expectation: string;
  /** Whether it needs training logs, which simulated pods do not write. */
  readonly needsTraining: boolean;
  readonly judge: (seen: Observation) => CheckResult;
}

export interface CheckResult {
  readonly met: boolean;
  /** The observed result. */
  readonly seen: string;
}

/** A job at one moment, from the API server and the pods' logs. */
export interface Observation {
  readonly status: JobStatus;
  readonly pods: readonly Pod[];
  readonly log: TrainingLog;
  readonly logText: string;
}

/** A running job, for steps. */
export interface RunningJob {
  readonly client: KubeClient;
  readonly resource: Resource<JobObject>;
  readonly key: { readonly namespace: string; readonly name: string };
  /** False on simulated nodes, whose pods write no log. */
  readonly trains: boolean;
  /** The last observation. */
  readonly seen: Observation;
  /** Waits until `found` returns a value. Throws if the job ends before, or after some minutes. */
  until<T>(found: (seen: Observation) => T | undefined): Promise<T>;
}
