/** Parts of an adapter, one concern each. All functions are pure. */
import type { EventReason, JobStatus, KubeObject, Pod, RunPolicy } from '@muster/job-api';
import type { GaugeDeclaration, Sample } from '@muster/metrics';
import type { Autoscaling } from '../model/autoscaling.ts';
import type { Probe } from '@muster/probes';
import type { JobContext } from '../model/job-context.ts';
import type { StateAges } from '../model/state-ages.ts';
import type { JobManifest, Replica, ReplicaRole, RestartScope, RoleTally, TrainingJob } from '../model/training-job.ts';
import type { WorkloadResource } from '../model/replica-identity.ts';
import type { Permission } from '../model/permission.ts';
import type { DesiredResource, EnsuredObject, OwnedKind } from '../model/owned-resources.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';
import type { Reference, ReferenceKind } from '../model/reference.ts';
import type { DocumentedDifference } from './documented-difference.ts';

export interface Facets<Manifest extends JobManifest, Options> {
  readonly network?: Network<Options>;
  readonly scheduling?: Scheduling<Options>;
  readonly autoscaling?: AutoscalingFacet<Options>;
  readonly elastic?: Elastic<Options>;
  readonly workloads?: Workloads;
  readonly ownedResources?: OwnedResources<Options>;
  readonly podAnnotations?: Readonly<Record<string, PodAnnotation<Options>>>;
  readonly failures?: Failures<Options>;
  readonly status?: StatusCodec<Manifest, Options>;
  readonly references?: References<Manifest>;
  readonly probes?: ProbesFacet<Manifest, Options>;
  readonly podLabels?: PodLabels<Options>;
  readonly commands?: Commands;
  readonly finalize?: Finalize<Options>;
  readonly gauges?: readonly JobGauge<Manifest>[];
  /** Differences from the kind's other operator that the pages document, for the comparison in shadow mode. Default: those of every kind. */
  readonly documented?: readonly DocumentedDifference[];
}

export interface Lifecycle<Manifest extends JobManifest = JobManifest> {
  /** The values of `managedBy` that select this operator. An unset field does, too. */
  readonly managers: readonly string[];
  /** Whether this operator owns the job for its whole life. Others are ignored. Called with any manifest. Default: yes. */
  isOurs?(manifest: Manifest): boolean;
  /** Another controller of the kind, if the kind has no `managedBy`. Default: none. */
  readonly otherController?: OtherController<Manifest>;
  /** Called with any manifest, also an invalid one. Default: `spec.runPolicy`, as in Kubeflow's kinds. */
  runPolicy?(manifest: Manifest): Partial<RunPolicy>;
  /** False of a kind without `backoffLimit`. Default: true. */
  readonly hasBackoffLimit?: boolean;
  /**
   * Whether `read` of a running job falls back to what was last applied after an invalid change, so that its writes are carried out.
   * Default: nothing is written until the spec is corrected.
   */
  readonly appliesLastSpec?: boolean;
}

/** Another controller that runs all jobs of a kind where it is installed. */
export interface OtherController<Manifest extends JobManifest = JobManifest> {
  readonly name: string;
  readonly switchOff: string;
  /** Whether it has started the job. Muster ignores the job then. */
  hasBegun(manifest: Manifest): boolean;
  /** How long Muster ignores a new job, so that the other controller's start can be observed. */
  readonly headStartMs: number;
}

/** Command objects: other components create them to control their job. */
export interface Commands {
  readonly kind: OwnedKind;
  /** Applies the command to the status, which `runPolicy` and `outcome` read. The object is deleted after the status write. */
  follow(status: JobStatus, command: KubeObject): FollowedCommand;
  /** Whether the command was followed or ignored before. Then the object is only deleted. */
  isOnRecord(status: JobStatus, command: KubeObject): boolean;
}

export interface FollowedCommand {
  readonly status: JobStatus;
  readonly note: string;
  readonly isIgnored: boolean;
}

/** Services through which pods find each other. Without this facet there are no Services and no DNS names of pods. */
interface Network<Options> {
  /** The replica that other pods connect to. It gets a Service of its pod's name in every service mode. */
  addressed(job: TrainingJob<Options>): Replica | undefined;
}

/** Start order and scale-down order of pods. */
export interface Scheduling<Options = unknown> {
  /** Whether pods of the role may be created yet. Existing pods are kept. Default: yes. Not called if a gang waits for the role. */
  mayStart?(job: TrainingJob<Options>, role: ReplicaRole, tallies: readonly RoleTally[]): boolean;
  /** What the role waits for, as the end of a sentence `No pods of Server are created before …`. Default: not reported. */
  waitsFor?(job: TrainingJob<Options>, role: ReplicaRole, tallies: readonly RoleTally[]): string;
  /** Minimum replicas of the role for a gang scheduler. Default: all. With 0 the gang does not wait for the role. */
  leastReplicas?(job: TrainingJob<Options>, role: ReplicaRole): number;
  /** Whether the job fails without the pod. It is deleted last on scale-down, even if it is named. Default: the addressed replica. */
  isIndispensable?(job: TrainingJob<Options>, replica: Replica): boolean;
}

interface AutoscalingFacet<Options> {
  autoscaler(job: TrainingJob<Options>): Autoscaling | undefined;
}

interface Elastic<Options> {
  /** For all elastic roles together. Undefined: the job is not elastic. Default: no job is. */
  bounds?(job: TrainingJob<Options>): ElasticBounds | undefined;
  /** The elastic role. The status shows its number of replicas. Default: not shown. */
  workers?(job: TrainingJob<Options>): ElasticRole | undefined;
  /** Why a job that is not elastic should not be resized while it runs, and what to do, as a clause. Default: it may be. */
  whyFixed?(job: TrainingJob<Options>): string | undefined;
}

export interface ElasticRole {
  readonly role: string;
  /** As passed to the pods. */
  readonly bounds: Required<ElasticBounds>;
  /** Minimum of its replicas for the job to continue. */
  readonly least: number;
  /** Whether a running program cannot change its size: a resize recreates all pods of the job. Default: it can. */
  readonly restartsWhenResized?: boolean;
  /** Set if the job continues without replicas that the cluster has no capacity for. */
  readonly fit?: FitToCapacity;
}

export interface FitToCapacity {
  /** How long a pod is unschedulable before the job continues without it. */
  readonly unschedulableMs: number;
  /** Initial interval of attempts to get all replicas back. */
  readonly retryMs: number;
}

export interface ElasticBounds {
  readonly min: number;
  /** Undefined: no limit. */
  readonly max?: number;
}

interface Workloads {
  readonly kinds: readonly WorkloadResource['kind'][];
}

interface OwnedResources<Options> {
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

export interface AfterEnd {
  /** Existing objects to keep. Others are deleted if their kind ends with the run. */
  readonly kept: readonly DesiredResource[];
  readonly deletesJob?: boolean;
  /** Whether a pod of its owned resources may have running sidecars. The job is kept for their grace period then. Default: no. */
  readonly hasSidecars?: boolean;
  readonly recheckAfterMs?: number;
  /** Requests to send, like {@link ProbesFacet.calls} for a job that has not ended. */
  readonly calls?: readonly Probe[];
  /** Warning events. Each is emitted once. */
  readonly warnings?: readonly JobWarning[];
}

export interface JobWarning {
  /** Default: Warning. */
  readonly type?: 'Normal' | 'Warning';
  readonly reason: EventReason;
  readonly note: string;
}

/** An annotation on running pods. A change makes the kubelet refresh mounted volumes at once, instead of every minute or two. */
interface PodAnnotation<Options> {
  value(
    job: TrainingJob<Options>,
    replica: Replica,
    replicas: readonly ReplicaPod[],
    context: JobContext,
  ): string | undefined;
}

/** Labels that change while pods run. The pods may be those of an owned resource. */
interface PodLabels<Options> {
  /** Pods with the labels that they should have. Others of their labels are kept. */
  of(job: TrainingJob<Options>, context: JobContext): readonly LabelledPod[];
}

export interface LabelledPod {
  readonly pod: Pod;
  readonly labels: Readonly<Record<string, string>>;
}

/** The kind's status format, if it differs from `JobStatus`. */
interface StatusCodec<Manifest extends JobManifest, Options> {
  /** Whether `status.replicaStatuses.<role>.selector` is written, for the scale subresource. */
  readonly hasSelectors?: boolean;
  /**
   * The status field for the internal status, beside the fields of `encode`. Without such a field in the CRD it is in an annotation.
   * Default: the status is the internal status, extended by `encode`.
   */
  readonly recordIn?: string;
  /** Reads the status of another operator if the field `recordIn` is absent. Must not throw. */
  inherited?(manifest: Manifest): JobStatus;
  /** The stored format. Must be deterministic. Also called when only `seen` has changed, so it may show probe results or owned resources. */
  encode?(status: JobStatus, seen: StatusView<Manifest, Options>): object;
}

export interface StatusView<Manifest extends JobManifest = JobManifest, Options = unknown> {
  readonly manifest: Manifest;
  /** Undefined if the manifest is invalid or a reference is missing. */
  readonly job: TrainingJob<Options> | undefined;
  readonly replicas: readonly ReplicaPod[];
  readonly context: JobContext;
}

interface Failures<Options> {
  /**
   * The scope to recreate, called for failed replicas. Undefined: the restart policy applies. A replica that cannot rejoin
   * (`ReplicaRole.cannotRejoin`), or that a Job runs, is recreated only with its role or job.
   */
  scopeOf(job: TrainingJob<Options>, replica: ReplicaPod, ages: StateAges): RestartScope | undefined;
  /**
   * The same for a replica that runs or has not started: with a scope it counts as failed. If the result depends on time,
   * `Outcome.recheckAfterMs` must say when to reconcile. Default: never.
   */
  scopeOfOther?(
    job: TrainingJob<Options>,
    replica: ReplicaPod,
    ages: StateAges,
    replicas: readonly ReplicaPod[],
  ): RestartScope | undefined;
}

interface References<Manifest extends JobManifest> {
  readonly kinds: readonly ReferenceKind[];
  /** Called with any manifest, also an invalid one; must not throw. */
  of(manifest: Manifest): readonly Reference[];
}

interface ProbesFacet<Manifest extends JobManifest, Options> {
  /** Whether Services of the cluster are called: an operator outside needs a permission for that. */
  readonly sendsToServices?: boolean;
  /** Requests to poll for a job that has not ended, from its current state. Must not throw. */
  polled(manifest: Manifest, context: JobContext): readonly Probe[];
  /**
   * Requests to send now, after all other writes. The response becomes a probe result. A restarted operator does not have it, so the receiver must
   * accept a request twice.
   */
  calls?(job: TrainingJob<Options>, replicas: readonly ReplicaPod[], context: JobContext): readonly Probe[];
}

/** A gauge computed from the jobs at each scrape, so it is exact also after a restart. */
export interface JobGauge<Manifest extends JobManifest = JobManifest> {
  readonly metric: GaugeDeclaration;
  /** The job's samples, from its own status. Called with any manifest; must not throw. */
  samples(manifest: Manifest): readonly Sample<string>[];
}

interface Finalize<Options> {
  /** The finalizer's name, for example `test.muster.dev/clean-up`. It is added before any object of the job is created. */
  readonly name: string;
  /** Whether the job needs the finalizer. If not, an existing one of another operator is removed as well. Default: yes. */
  isNeeded?(manifest: JobManifest): boolean;
  /** The progress of the clean-up. Called again after each change. `replicas` has the remaining pods. */
  step(job: TrainingJob<Options>, replicas: readonly ReplicaPod[], context: JobContext): FinalizeStep;
}

export interface FinalizeStep {
  readonly isDone: boolean;
  /** Whether its pods are deleted now. Default: they remain until the job is gone. */
  readonly deletesPods?: boolean;
  readonly recheckAfterMs?: number;
  readonly ownedResources?: readonly DesiredResource[];
  readonly calls?: readonly Probe[];
}
