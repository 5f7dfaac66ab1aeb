/**
 * What the demo shows of a framework, as a description: which manifests, what is done to the jobs while they run, and
 * what has to come of them. A framework adds a file in `frameworks/` and a line in `frameworks.ts`; the runner knows none.
 */
import type { FrameworkName, JobStatus, KubeObject, Pod, Resource } from '@muster/job-api';
import type { KubeClient } from '@muster/kube';
import type { ImageName } from '@muster/images';
import type { Reporter } from './reporting-pod.ts';
import type { TrainingLog } from './training-log.ts';

export interface DemoFramework {
  readonly name: FrameworkName;
  /** Of the local cluster's pods. */
  readonly image: { readonly name: ImageName; readonly reference: string };
  /** What some of its pods need besides: the local cluster has them, other clusters may not. */
  readonly furtherImages?: readonly ImageName[];
  /** The file beside the manifests that pods run; an image of somebody else's gets it from a ConfigMap. */
  readonly program: string;
  /** What the operator is started with, besides what all are. */
  readonly operatorFlags: readonly string[];
  readonly jobs: readonly DemoJob[];
}

/** A custom resource that trains, of whatever kind. */
export type JobObject = KubeObject & { readonly status?: object };

/** How jobs of a kind are seen whose pods and status are not labelled and written as Kubeflow's are. */
export interface KindView {
  /** The labels of the pods of the job of this name. */
  readonly podSelector: (name: string) => string;
  readonly statusOf: (status: object) => JobStatus;
}

export interface DemoJob {
  /** File in `examples/<framework>`. */
  readonly manifest: string;
  readonly resource: Resource<JobObject>;
  /** Default: as Kubeflow's kinds. */
  readonly view?: KindView;
  /** Set in all of its containers, besides what the manifest sets. */
  readonly env?: Readonly<Record<string, string>>;
  /** The pod whose log tells how training goes. */
  readonly reporter: Reporter;
  /** Whether it needs the framework's further images: it is not shown with an image of somebody else's. */
  readonly needsFurtherImages?: boolean;
  /** Whether its pods have to run a program: it is not shown on simulated nodes. */
  readonly needsRealPods?: boolean;
  /** Whether it is over, of one that does not end by itself. Default: when it has a completionTime. */
  readonly isOver?: (seen: Pick<Observation, 'status' | 'pods'>) => boolean;
  /** Done one after the other while the job runs. */
  readonly steps: readonly Step[];
  /** Asked when the job has ended. */
  readonly expectations: readonly Expectation[];
}

/** Something that is waited for, or done to a job; and proof that it came about. */
export interface Step {
  /** What has to come about, for the person at the terminal: "scaled from 2 to 3 workers while it runs". */
  readonly expectation: string;
  /** What goes on meanwhile, in at most 17 characters: "scaling to 3". */
  readonly now: string;
  /** Resolves with what was seen that proves it. Whatever it throws means that it has not come about. */
  readonly run: (job: RunningJob) => Promise<string>;
}

/** What is asked of a job that has ended. */
export interface Expectation {
  /** A sentence as in `Step`. */
  readonly expectation: string;
  /** Whether simulated pods can do that: they write no log. */
  readonly needsTraining: boolean;
  readonly judge: (seen: Observation) => Verdict;
}

export interface Verdict {
  readonly met: boolean;
  /** What was seen. */
  readonly seen: string;
}

/** A job at one moment, as the API server and the pods' logs tell it. */
export interface Observation {
  readonly status: JobStatus;
  readonly pods: readonly Pod[];
  readonly log: TrainingLog;
  readonly logText: string;
}

/** A job that runs, for steps. */
export interface RunningJob {
  readonly client: KubeClient;
  readonly resource: Resource<JobObject>;
  readonly key: { readonly namespace: string; readonly name: string };
  /** False on simulated nodes, whose pods write no log. */
  readonly trains: boolean;
  /** As seen last. */
  readonly seen: Observation;
  /** Waits until `found` finds something. Throws when the job has ended before, or after some minutes. */
  until<T>(found: (seen: Observation) => T | undefined): Promise<T>;
}
