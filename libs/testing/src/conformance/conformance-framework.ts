/** What a framework tells the conformance suite of itself. See `conformance.ts` for how to plug one in. */
import type {
  CustomResourceDefinition,
  JobStatus,
  KubeObject,
  Pod,
  PodTemplateSpec,
  Resource,
  RestartPolicy,
  RunPolicy,
  ServiceMode,
} from '@muster/job-api';
import type { ClusterClient, Logger } from '@muster/kube';
import type { TravelClock } from './travel-clock.ts';

/** A job of any kind, as far as the suite reads it: its status is the engine's record. */
export interface ConformanceJob extends KubeObject {
  spec?: { runPolicy?: Partial<RunPolicy> };
  status?: JobStatus;
}

/** What a case asks of a manifest. */
export interface JobShape {
  readonly name: string;
  readonly namespace: string;
  readonly workers: number;
  readonly restartPolicy: RestartPolicy;
  readonly runPolicy: Partial<RunPolicy>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Whether the number of workers is changed while the job runs: a kind that has to be told so beforehand tells it. */
  readonly isResized: boolean;
  /** For every role; its first container has the framework's name. */
  readonly template: PodTemplateSpec;
}

export interface OperatorStart {
  readonly client: ClusterClient;
  readonly namespaces: readonly string[];
  /** The framework's own, or a copy of it in another group where another operator's CRD is installed. */
  readonly resource: Resource<ConformanceJob>;
  readonly serviceMode: ServiceMode;
  readonly writesPerPass?: number;
  readonly clock: TravelClock;
  readonly logger: Logger;
  /** Says what the pods' programs answer, which nobody runs. Default: they are asked over HTTP. */
  readonly ask?: (question: { readonly url: unknown }) => Promise<{ readonly status: number; readonly body: unknown }>;
}

export interface MetricValue {
  readonly labels: Readonly<Partial<Record<string, string | number>>>;
  readonly value: number;
}

/** Metrics as prom-client's `Registry` gives them. */
export interface MetricRegistry {
  metrics(): Promise<string>;
  getMetricsAsJSON(): Promise<readonly { readonly name: string; readonly values: readonly MetricValue[] }[]>;
}

/** An operator that runs, without leader election. */
export interface ConformanceOperator {
  readonly registry: MetricRegistry;
  stop(): Promise<void>;
}

export interface ConformanceFramework {
  /** Whether it plays the cases, too, that test the engine alone. It is one of Muster's own pods. Default: false. */
  isReference?: boolean;
  /**
   * Whether it plays the cases of what jobs own besides pods that Muster makes, and their Services. One kind for each sort
   * of object is enough. Default: false.
   */
  hasOwnedResources?: boolean;
  readonly resource: Resource<ConformanceJob>;
  readonly crd: CustomResourceDefinition;
  /** A label value that all of its pods have: for Kubeflow's kinds that of `training.kubeflow.org/operator-name`. */
  readonly operatorName: string;
  /** The container whose end is the replica's end. */
  readonly containerName: string;
  /** The role of which a job can have any number of replicas, as `status.replicaStatuses` spells it. */
  readonly workerRole: string;
  /** The role of all pods that are no workers, for which workers can be told to wait. Default: there are workers only, or nobody can be told. */
  readonly leadingRole?: string;
  /** A job with that many workers. */
  manifest(shape: JobShape): ConformanceJob;
  /** The names of all pods of a job with that many workers: those of other roles first, then the workers by index. */
  podNames(job: string, workers: number): string[];
  /** Those of them whose success is the job's success. */
  decidingPods(job: string, workers: number): string[];
  /**
   * Those that are made only when all others are ready. Default: none. Where the suite waits for all pods of a job, it has
   * the others run first.
   */
  lastPods?(job: string): string[];
  /** The name that the suite has for a pod to which Kubernetes' own controllers give another. Default: its own. */
  readonly knownAs?: (pod: Pod) => string;
  /** Those that go on for ever, and are stopped when the job ends, unless cleanPodPolicy is None. Default: none. */
  endlessPods?(job: string, workers: number): string[];
  /** Those that Kubernetes' own Jobs and StatefulSets make, and not the operator. Default: none. */
  podsOfWorkloads?(job: string, workers: number): string[];
  /** Whether its jobs have Services that are not part of the engine, or none: what is said of Services is left out. */
  hasOwnNetwork?: boolean;
  /** How often which event is told of a job of two workers that runs and ends well. Default: as without owned resources. */
  eventsOfALife?: Readonly<Record<string, number>>;
  /** The label that says whose an object is, by the job's name. Default: that of Kubeflow's kinds. */
  jobLabel?: string;
  /** The field of the status in which the engine's record is. Default: the status is the record. */
  recordIn?: string;
  /** The part of the spec that suspends a job, or resumes it. Default: that of a `runPolicy`. */
  suspension?(isSuspended: boolean): object;
  /** Whether its jobs run until they are deleted. Default: they end with their deciding pods. */
  isEndless?: boolean;
  /**
   * Whether a pod made in place of another has a new name, with the next number of its role. The suite calls it by the name
   * of the first pod in that place. Default: it has the name of the other.
   */
  hasUniqueNames?: boolean;
  /**
   * Whether its pods belong to objects that it owns: its record says nothing of them, and what befalls them is not for it to mend.
   * Default: they are replicas of its own.
   */
  ownsNoPods?: boolean;
  /** Jobs of another kind that its jobs own and its operator runs as well: metrics count both. Default: none. */
  ownedJobs?: Pick<ConformanceFramework, 'resource' | 'recordIn'>;
  /** Of a kind that sees to its deadline itself. Default: as the engine does, and no pod stays. */
  deadline?: {
    /** Part of what is said of a job that was active for too long. */
    readonly words: string;
    /** Those of its pods that are left to end by themselves. */
    podsLeft(job: string): string[];
  };
  /** The label selector by which its objects are watched. Default: by `operatorName`. */
  labelSelector?: string;
  /** Why a case says nothing about this framework; undefined where it does. */
  doesNotApply?(topic: string, name: string): string | undefined;
  /** Resolves when the operator works: its caches are in sync. */
  startOperator(start: OperatorStart): Promise<ConformanceOperator>;
}
