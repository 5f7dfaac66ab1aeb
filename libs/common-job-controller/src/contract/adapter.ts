/**
 * What the engine asks of a framework: data and pure functions, nothing that reads an API or a clock.
 *
 * An adapter speaks of **roles** only. The kind that a job came from is the matter of its `read`, so that another kind
 * (Volcano's Job, whose tasks are roles as well) can feed the same rules.
 */
import type { Container, EnvVar, JobStatus, Pod, PodSpec, Resource } from '@muster/job-api';
import type { JobManifest, Replica, ReplicaRole, TrainingJob, WorkloadResource } from '../model/training-job.ts';
import type { Autoscaling } from '../autoscaling/desired-autoscaler.ts';
import type { OwnedKind, DesiredResource, EnsuredObject } from '../owned-resources/owned-resources.ts';
import type { Permission } from '../operator/permissions.ts';
import type { ReplicaPod } from '../pods/replica-pods.ts';

/** What a pod gets from its framework, beyond its template. */
export interface PodAdditions {
  /** For every container; a name that the user has set already is left as the user set it. */
  readonly env?: readonly EnvVar[];
  /** The same for the framework's container alone. */
  readonly mainEnv?: readonly EnvVar[];
  /** Run after the user's own init containers. */
  readonly initContainers?: readonly Container[];
  /** What the framework makes of the spec that has all of the above. */
  readonly shape?: (spec: PodSpec) => PodSpec;
}

/** How the replicas of one role are doing, when those to be restarted are set aside. */
export interface RoleTally {
  readonly role: ReplicaRole;
  readonly running: number;
  readonly succeeded: number;
  /** Failed for good: the restart policy does not bring them back. */
  readonly failed: number;
  /** Of those that run, how many are ready. */
  readonly ready: number;
  /** Whether the replica of index 0 has succeeded. */
  readonly hasFirstSucceeded: boolean;
  /** Why the role's workload says that it has failed. */
  readonly failure?: { readonly reason: string; readonly message: string };
}

/**
 * An annotation that pods are given while they run, and again when it changes: a kubelet looks anew at what a pod mounts when
 * the pod is changed, and else once in a minute or two.
 */
interface PodAnnotation<Options = unknown> {
  /** Undefined: the replica's pod has none. */
  value(job: TrainingJob<Options>, replica: Replica, replicas: readonly ReplicaPod[]): string | undefined;
}

/** How pods of a job find one another. All pods of one pass over the job are given the same object. */
export interface Peers {
  /** The name in DNS of the replica's pod, good anywhere in the cluster: `mnist-worker-0.mnist.team.svc`. */
  addressOf(replica: Replica): string;
}

/** Where a job stands by its framework's rule. */
export type Outcome =
  | { readonly phase: 'Pending' }
  | { readonly phase: 'Running' | 'Succeeded'; readonly message: string }
  | {
      readonly phase: 'Failed';
      readonly message: string;
      /** The condition's reason, where it is not `<Kind>Failed`. */
      readonly reason?: string;
    };

/** Something wrong with a manifest. */
export interface Problem {
  /** In the API server's spelling: `spec.pytorchReplicaSpecs[Worker].replicas`. */
  readonly path: string;
  readonly message: string;
}

export interface FrameworkAdapter<Manifest extends JobManifest = JobManifest, Options = unknown> {
  readonly resource: Resource<Manifest>;
  /** The value of the metrics label `framework`, and the name of the Lease. */
  readonly framework: string;
  /** The value of the label `training.kubeflow.org/operator-name`. */
  readonly operatorName: string;
  /** Other values of it on objects of its jobs. */
  readonly otherOperatorNames?: readonly string[];
  /** The values of `spec.runPolicy.managedBy` that mean this operator, as does leaving it out. */
  readonly managers: readonly string[];
  /** The command with which the user installs the kind's CRD, for messages. */
  readonly installHint: string;

  /** What is wrong with the manifest that admission could not see; empty when nothing. Called before `read`. */
  problems(manifest: Manifest): readonly Problem[];
  /** Roles and options of the manifest, with the defaults filled in. Never throws on a manifest without problems. */
  read(manifest: Manifest): Pick<TrainingJob<Options>, 'roles' | 'runPolicy' | 'options'>;
  /** Whether the replica leads the job: its pod gets the label `training.kubeflow.org/job-role: master`. */
  isMaster(job: TrainingJob<Options>, replica: Replica): boolean;
  /** The replica that the others address: it gets a Service of its pod's name in every service mode. */
  addressed(job: TrainingJob<Options>): Replica | undefined;
  /**
   * Whether the others cannot go on without the replica's pod, so that it goes last when its role is scaled down, also if the
   * job's author names it. Default: the one that is addressed.
   */
  isIndispensable?(job: TrainingJob<Options>, replica: Replica): boolean;
  /** Its jobs need no Services but those among its owned resources, and its pods no names but those that it gives them. */
  readonly hasOwnNetwork?: boolean;
  /** The labels of the replica's pod beside the template's. Default: those of Kubeflow's training operator. */
  podLabels?(job: TrainingJob<Options>, replica: Replica): Readonly<Record<string, string>>;
  /** Annotations that pods are given while they run, by key. Default: none. */
  readonly podAnnotations?: Readonly<Record<string, PodAnnotation<Options>>>;
  /** Which replica a pod of a job is: the role in lower case. Default: what those labels say. */
  replicaOf?(pod: Pod): { readonly role: string; readonly index: number } | undefined;
  pod(job: TrainingJob<Options>, replica: Replica, peers: Peers): PodAdditions;
  /** Running, succeeded or failed, and in whose words. Only ordered data: the same tallies, the same outcome. */
  outcome(job: TrainingJob<Options>, tallies: readonly RoleTally[]): Outcome;
  /** Whether `status.replicaStatuses.<role>.selector` is written, for the scale subresource. */
  readonly writesSelector: boolean;
  /**
   * Whether pods of the role may be made yet, by how the others are doing; pods that are there stay. Default: at once. Not
   * asked where a gang scheduler waits for pods of the role before it places any (see `leastReplicas`).
   */
  mayStart?(job: TrainingJob<Options>, role: ReplicaRole, tallies: readonly RoleTally[]): boolean;
  /**
   * The least number of the role's replicas with which the job can go on, for gang schedulers. Default: all. With 0 no gang
   * waits for the role.
   */
  leastReplicas?(job: TrainingJob<Options>, role: ReplicaRole): number;
  /** The bounds and metrics by which Kubernetes scales the job, if it is to. Its kind then has a scale subresource. */
  autoscaling?(job: TrainingJob<Options>): Autoscaling | undefined;
  /** The kinds of workloads that roles of its jobs have. */
  readonly workloads?: readonly WorkloadResource['kind'][];
  /** Kinds of objects that jobs of this framework need beside pods and Services. */
  readonly ownedKinds?: readonly OwnedKind[];
  /** Of a job that is suspended as well: its `replicas` are none then. Of a finished one nothing is asked. */
  ownedResources?(job: TrainingJob<Options>, replicas: readonly ReplicaPod[]): readonly DesiredResource[];
  /** What its pods need that the operator can neither list nor watch. */
  ensured?(job: TrainingJob<Options>): readonly EnsuredObject[];
  /** What the operator has to be allowed beside watching, making and changing all of that. */
  readonly permissions?: readonly Permission[];
  /** `status` with the fields that only this kind has. Of a job that is suspended, `replicas` are none. */
  extendStatus?(job: TrainingJob<Options>, status: JobStatus, replicas: readonly ReplicaPod[]): JobStatus;
}
