/**
 * Optional parts of an adapter, one concern each. Without a facet the kind does not have the feature: no Services, no autoscaler, spec and
 * status in Kubeflow's format. All functions are pure.
 */
import type { EventReason, JobStatus, KubeObject, RunPolicy } from '@muster/job-api';
import type { GaugeDeclaration, Sample } from '@muster/metrics';
import type { Autoscaling } from '../model/autoscaling.ts';
import type { Question } from '../model/fact.ts';
import type { JobContext } from '../model/job-context.ts';
import type { StateAges } from '../model/state-ages.ts';
import type { JobManifest, Replica, ReplicaRole, RestartScope, RoleTally, TrainingJob } from '../model/training-job.ts';
import type { WorkloadResource } from '../model/replica-identity.ts';
import type { Permission } from '../model/permission.ts';
import type { DesiredResource, EnsuredObject, OwnedKind } from '../model/owned-resources.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';
import type { Reference, ReferenceKind } from '../model/reference.ts';

/** The fields of the spec for suspend, managedBy, deadline and time to live. */
export interface Lifecycle<Manifest extends JobManifest = JobManifest> {
  /** The values of `managedBy` that select this operator. An unset field does, too. */
  readonly managers: readonly string[];
  /**
   * Whether a job is this operator's for its whole life, if several operators serve the kind. Other jobs are ignored. Called with any
   * manifest. Default: yes.
   */
  isOurs?(manifest: Manifest): boolean;
  /** Another controller of the kind, if the kind has no `managedBy`. Default: none. */
  readonly rival?: OtherController<Manifest>;
  /** Called with any manifest, also an invalid one. Default: `spec.runPolicy`, as in Kubeflow's kinds. */
  runPolicy?(manifest: Manifest): Partial<RunPolicy>;
  /** False of a kind without `backoffLimit`. Default: true. */
  readonly hasBackoffLimit?: boolean;
}

/** Another controller that runs all jobs of a kind where it is installed. */
export interface OtherController<Manifest extends JobManifest = JobManifest> {
  /** Its name for messages. */
  readonly name: string;
  /** How a user disables it. */
  readonly switchOff: string;
  /** Whether it has started the job. Muster ignores the job then. */
  hasBegun(manifest: Manifest): boolean;
  /** How long Muster ignores a new job, so that the other controller's start can be observed. */
  readonly headStartMs: number;
}

/** Command objects: other components create them to control their job. */
export interface Commands {
  readonly kind: OwnedKind;
  /**
   * Applies the command to the job's status, which `runPolicy`, `outcome` and {@link isOnRecord} read. The object is deleted after the
   * status write.
   */
  follow(status: JobStatus, command: KubeObject): FollowedCommand;
  /** Whether the command was followed or ignored before. Then the object is only deleted. */
  isOnRecord(status: JobStatus, command: KubeObject): boolean;
}

export interface FollowedCommand {
  readonly status: JobStatus;
  readonly note: string;
  /** Whether the command has no effect. */
  readonly isIgnored: boolean;
}

/** Services through which pods find each other. Without this facet there are no Services and no DNS names of pods. */
export interface Network<Options = unknown> {
  /** The replica that other pods connect to. It gets a Service of its pod's name in every service mode. */
  addressed(job: TrainingJob<Options>): Replica | undefined;
}

/** Start order and scale-down order of pods. */
export interface Scheduling<Options = unknown> {
  /**
   * Whether pods of the role may be created yet, from the state of the other roles. Existing pods are kept. Default: yes. Not called if a
   * gang scheduler needs pods of the role before it places any (see `leastReplicas`).
   */
  mayStart?(job: TrainingJob<Options>, role: ReplicaRole, tallies: readonly RoleTally[]): boolean;
  /** What the role waits for, as the end of a sentence `No pods of Server are made before …`. Default: not reported. */
  waitsFor?(job: TrainingJob<Options>, role: ReplicaRole, tallies: readonly RoleTally[]): string;
  /** Minimum replicas of the role for a gang scheduler. Default: all. With 0 the gang does not wait for the role. */
  leastReplicas?(job: TrainingJob<Options>, role: ReplicaRole): number;
  /**
   * Whether the job fails without the replica's pod. It is deleted last when the role is scaled down, even if the user names it. Default:
   * the addressed replica.
   */
  isIndispensable?(job: TrainingJob<Options>, replica: Replica): boolean;
}

/** A job that a HorizontalPodAutoscaler scales. Its kind has a scale subresource. */
export interface AutoscalingFacet<Options = unknown> {
  /** Undefined: the job is not autoscaled. */
  autoscaler(job: TrainingJob<Options>): Autoscaling | undefined;
}

/** A job whose number of replicas may change at run time. */
export interface Elastic<Options = unknown> {
  /** For all elastic roles together. Undefined: the job is not elastic. */
  bounds(job: TrainingJob<Options>): ElasticBounds | undefined;
  /** The elastic role. The status shows its number of replicas. Default: not shown. */
  workers?(job: TrainingJob<Options>): ElasticRole | undefined;
  /** Why a job that is not elastic should not be resized while it runs, and what to do, as a clause. Default: it may be. */
  whyFixed?(job: TrainingJob<Options>): string | undefined;
}

/** The role that scales. */
export interface ElasticRole {
  readonly role: string;
  /** As passed to the pods. */
  readonly bounds: Required<ElasticBounds>;
  /** Minimum of its replicas for the job to continue. */
  readonly least: number;
  /** Set if the job continues without replicas that the cluster has no capacity for. */
  readonly fit?: FitToCapacity;
}

export interface FitToCapacity {
  /** How long a pod is unschedulable before the job continues without it. */
  readonly unschedulableMs: number;
  /** Initial interval of attempts to get all replicas back. */
  readonly retryMs: number;
}

/** In pods. */
export interface ElasticBounds {
  readonly min: number;
  /** Undefined: no limit. */
  readonly max?: number;
}

/** Roles whose pods a Job or StatefulSet creates. */
export interface Workloads {
  readonly kinds: readonly WorkloadResource['kind'][];
}

/** Objects that jobs of this kind need beside pods and Services. */
export interface OwnedResources<Options = unknown> {
  readonly kinds: readonly OwnedKind[];
  /** Also called for suspended jobs, with no replicas. For finished jobs, `afterEnd` is called instead. */
  desired(job: TrainingJob<Options>, replicas: readonly ReplicaPod[], context: JobContext): readonly DesiredResource[];
  /** What happens to a finished job's objects. Default: kinds that do not end with the run are kept. */
  afterEnd?(job: TrainingJob<Options>, context: JobContext): AfterEnd;
  /** Objects that its pods need and that the operator can neither list nor watch. */
  ensured?(job: TrainingJob<Options>): readonly EnsuredObject[];
  /** The job's options if its own Service, one of these objects, has this name. Default: there is none. */
  inService?(options: Options, serviceName: string): Options;
  /** Permissions in addition to watching, creating and changing the owned kinds. */
  readonly permissions?: readonly Permission[];
}

/** What remains of a job after its end. */
export interface AfterEnd {
  /** Existing objects to keep. Others are deleted if their kind ends with the run. */
  readonly kept: readonly DesiredResource[];
  /** Whether the job is deleted. */
  readonly deletesJob?: boolean;
  /** Whether a pod of its owned resources may have running sidecars. The job is kept for their grace period then. Default: no. */
  readonly hasSidecars?: boolean;
  /** In how many milliseconds the result changes. */
  readonly recheckAfterMs?: number;
  /** Requests to send, like {@link FactsFacet.calls} for a job that has not ended. */
  readonly calls?: readonly Question[];
  /** Warning events. Each is emitted once. */
  readonly warnings?: readonly JobWarning[];
}

/** A warning for the author of a job. */
export interface JobWarning {
  readonly reason: EventReason;
  readonly note: string;
}

/**
 * An annotation on running pods, which Muster updates. A kubelet refreshes a pod's mounted volumes when the pod changes, otherwise only
 * every minute or two.
 */
export interface PodAnnotation<Options = unknown> {
  /** Undefined: no annotation. */
  value(
    job: TrainingJob<Options>,
    replica: Replica,
    replicas: readonly ReplicaPod[],
    context: JobContext,
  ): string | undefined;
}

/** The kind's status format, if it differs from `JobStatus`. */
export interface StatusCodec<Manifest extends JobManifest = JobManifest, Options = unknown> {
  /** Whether `status.replicaStatuses.<role>.selector` is written, for the scale subresource. */
  readonly hasSelectors?: boolean;
  /**
   * The status field for Muster's internal status, beside the fields of `encode`. Default: the status is the internal status, extended by
   * `encode`. If the CRD lacks the field, the internal status is stored in an annotation.
   */
  readonly recordIn?: string;
  /** Reads the status of another operator if `recordIn` is unset. Must not throw, whatever is stored. */
  inherited?(manifest: Manifest): JobStatus;
  /**
   * Converts `status` to the stored format. Default: unchanged. Must be deterministic. Also called if only `seen` has changed, so the
   * status may show facts or owned resources.
   */
  encode?(status: JobStatus, seen: StatusView<Manifest, Options>): object;
}

/** What a kind's status may show beside the internal status. */
export interface StatusView<Manifest extends JobManifest = JobManifest, Options = unknown> {
  readonly manifest: Manifest;
  /** Undefined if the manifest is invalid or a reference is missing. */
  readonly job: TrainingJob<Options> | undefined;
  /** Empty for a suspended job. */
  readonly replicas: readonly ReplicaPod[];
  readonly context: JobContext;
}

/** Overrides of the restart policy. */
export interface Failures<Options = unknown> {
  /**
   * The scope that is recreated, whatever the restart policy. Undefined: the policy applies, to the replica alone. Called only for failed
   * replicas. A replica that cannot rejoin (`ReplicaRole.cannotRejoin`), or that a Job runs, is recreated only with its role or job.
   */
  scopeOf(job: TrainingJob<Options>, replica: ReplicaPod, ages: StateAges): RestartScope | undefined;
  /**
   * The same for a replica whose pod runs or has not started. With a scope it counts as failed. If the result depends on time,
   * `Outcome.recheckAfterMs` must say when to reconcile. Default: never.
   *
   * @param replicas all replicas of the job
   */
  scopeOfOther?(
    job: TrainingJob<Options>,
    replica: ReplicaPod,
    ages: StateAges,
    replicas: readonly ReplicaPod[],
  ): RestartScope | undefined;
}

export interface References<Manifest extends JobManifest = JobManifest> {
  readonly kinds: readonly ReferenceKind[];
  /** Called with any manifest, also an invalid one; must not throw. */
  of(manifest: Manifest): readonly Reference[];
}

/** Requests to services outside the API server. */
export interface FactsFacet<Manifest extends JobManifest = JobManifest, Options = unknown> {
  /** Whether Services of the cluster are called: an operator outside needs a permission for that. */
  readonly asksServices?: boolean;
  /** Requests to poll for a job that has not ended, from its current state. Must not throw. */
  questions(manifest: Manifest, context: JobContext): readonly Question[];
  /**
   * Requests to send now for a job that may run, after all other writes. The answer becomes a fact, which shows that the request was sent.
   * A restarted operator does not know it, so the receiver must accept the same request twice.
   */
  calls?(job: TrainingJob<Options>, replicas: readonly ReplicaPod[], context: JobContext): readonly Question[];
}

/** A gauge computed from the jobs at each scrape, so it is exact also after a restart. */
export interface JobGauge<Manifest extends JobManifest = JobManifest> {
  readonly metric: GaugeDeclaration;
  /** The job's samples, from its own status. Called with any manifest; must not throw. */
  samples(manifest: Manifest): readonly Sample<string>[];
}

/** What must be done before a deleted job is removed. */
export interface Finalize<Options = unknown> {
  /** The finalizer's name, for example `test.muster.dev/clean-up`. It is added before any object of the job is created. */
  readonly name: string;
  /** Whether the job needs the finalizer. If not, an existing one of another operator is removed as well. Default: yes. */
  isNeeded?(manifest: JobManifest): boolean;
  /** The progress of the clean-up. Called again after each change. `replicas` has the remaining pods. */
  step(job: TrainingJob<Options>, replicas: readonly ReplicaPod[], context: JobContext): FinalizeStep;
}

export interface FinalizeStep {
  /** Whether the finalizer is removed. */
  readonly isDone: boolean;
  /** Whether its pods are deleted now. Default: they remain until the job is gone. */
  readonly deletesPods?: boolean;
  /** In how many milliseconds the result changes without another event. */
  readonly recheckAfterMs?: number;
  /** Objects that the clean-up needs. */
  readonly ownedResources?: readonly DesiredResource[];
  /** Requests to send. */
  readonly calls?: readonly Question[];
}
