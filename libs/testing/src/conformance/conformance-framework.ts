/** A framework in the conformance suite. `conformance.ts` has an example. */
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

export interface ConformanceJob extends KubeObject {
  spec?: { runPolicy?: Partial<RunPolicy> };
  status?: JobStatus;
}

export interface JobShape {
  readonly name: string;
  readonly namespace: string;
  readonly workers: number;
  readonly restartPolicy: RestartPolicy;
  readonly runPolicy: Partial<RunPolicy>;
  readonly annotations: Readonly<Record<string, string>>;
  /** The number of workers will change: some kinds need a setting for that. */
  readonly isResized: boolean;
  /** For every role; its first container has the framework's name. */
  readonly template: PodTemplateSpec;
}

export interface OperatorStart {
  readonly client: ClusterClient;
  readonly namespaces: readonly string[];
  /** The framework's own, or a copy in another group with another operator's CRD. */
  readonly resource: Resource<ConformanceJob>;
  readonly serviceMode: ServiceMode;
  readonly writesPerRun?: number;
  readonly clock: TravelClock;
  readonly logger: Logger;
  /** Answers probes in place of the pods' programs, which do not run. Default: HTTP. */
  readonly sendProbe?: (probe: {
    readonly url: unknown;
  }) => Promise<{ readonly status: number; readonly body: unknown }>;
}

export interface MetricValue {
  readonly labels: Readonly<Partial<Record<string, string | number>>>;
  readonly value: number;
}

export interface MetricRegistry {
  metrics(): Promise<string>;
  getMetricsAsJSON(): Promise<readonly { readonly name: string; readonly values: readonly MetricValue[] }[]>;
}

export interface ConformanceOperator {
  readonly registry: MetricRegistry;
  stop(): Promise<void>;
}

export interface ConformanceFramework {
  /** Runs the cases of the engine alone as well. Default: false. */
  isReference?: boolean;
  /**
   * Its adapter adds only roles, their environment and the outcome, as the generator writes it. `npm test` then runs the cases of these,
   * and `npm run e2e:full` all. Default: false.
   */
  isPlain?: boolean;
  /** Runs the cases about owned resources. One kind per type of owned object is enough. Default: false. */
  hasOwnedResources?: boolean;
  readonly resource: Resource<ConformanceJob>;
  readonly crd: CustomResourceDefinition;
  /** A label value of all its pods: for Kubeflow's kinds that of `training.kubeflow.org/operator-name`. */
  readonly operatorName: string;
  /** The container whose exit decides the replica's outcome. */
  readonly containerName: string;
  /** The scalable role, as in `status.replicaStatuses`. */
  readonly workerRole: string;
  /** The role of all other pods, on which `startOrder` lets workers depend. Default: none. */
  readonly leadingRole?: string;
  manifest(shape: JobShape): ConformanceJob;
  /** All pod names of a job with that many workers: other roles first, then the workers by index. */
  podNames(job: string, workers: number): string[];
  /** The pods whose success is the job's success. */
  decidingPods(job: string, workers: number): string[];
  /** Pods that are created only when all others are ready; the suite reports those as running first. Default: none. */
  lastPods?(job: string): string[];
  /** The suite's name for a pod to which another controller gives a generated name. Default: its own. */
  readonly knownAs?: (pod: Pod) => string;
  /** Pods that never end, and are deleted when the job ends, unless cleanPodPolicy is None. Default: none. */
  endlessPods?(job: string, workers: number): string[];
  /** Pods that Kubernetes Jobs and StatefulSets create. Default: none. */
  podsOfWorkloads?(job: string, workers: number): string[];
  /** Its jobs have no Services of the engine: checks of Services are skipped. */
  hasOwnNetwork?: boolean;
  /** Events of a job of two workers that runs and succeeds, with counts. Default: those without owned resources. */
  eventsOfALife?: Readonly<Record<string, number>>;
  /** The label with the job's name on its objects. Default: that of Kubeflow's kinds. */
  jobLabel?: string;
  /** The status field with the engine's record. Default: the status is the record. */
  recordIn?: string;
  /** The spec that suspends or resumes a job. Default: that of a `runPolicy`. */
  suspension?(isSuspended: boolean): object;
  /** Its jobs run until they are deleted. Default: they end with their deciding pods. */
  isEndless?: boolean;
  /** A recreated pod has a new name, with the next number of its role. Default: pods keep their names. */
  hasUniqueNames?: boolean;
  /** Its pods belong to owned objects, which replace them; its record does not include them. Default: false. */
  ownsNoPods?: boolean;
  /** Another kind that its jobs own and its operator runs: metrics count both. Default: none. */
  ownedJobs?: Pick<ConformanceFramework, 'resource' | 'recordIn'>;
  /** For a kind that enforces its deadline itself. Default: the engine does, and no pod is kept. */
  deadline?: {
    readonly message: string;
    podsLeft(job: string): string[];
  };
  /** The label selector of its watches. Default: by `operatorName`. */
  labelSelector?: string;
  /** The reason why a case does not apply on a server of Kubernetes 1.<minorVersion>; undefined if it does. */
  doesNotApply?(topic: string, name: string, minorVersion: number): string | undefined;
  /** Resolves when the operator's caches are synced. */
  startOperator(start: OperatorStart): Promise<ConformanceOperator>;
}
