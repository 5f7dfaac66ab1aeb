/**
 * What a kind of job may have beyond the core of its adapter, one concern at a time. A kind that leaves a facet out does
 * without: no Services, no autoscaler, spec and status in Kubeflow's form. All of it is pure, as the core is.
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

/** Where suspend, managedBy, deadline and time to live stand in the spec of this kind. */
export interface Lifecycle<Manifest extends JobManifest = JobManifest> {
  /** The values of `managedBy` that mean this operator, as does leaving it out. */
  readonly managers: readonly string[];
  /**
   * Of a kind that several operators run: which objects are this operator's, for their whole life. Others are as if they were not there.
   * Called of any manifest. Default: all.
   */
  isOurs?(manifest: Manifest): boolean;
  /** Of a kind that another controller may run, and that has no `managedBy`. Default: nobody else does. */
  readonly rival?: OtherController<Manifest>;
  /** Called of any manifest, also one with problems. Default: `spec.runPolicy`, where Kubeflow's kinds have it. */
  runPolicy?(manifest: Manifest): Partial<RunPolicy>;
  /** False of a kind without `backoffLimit`. Default: true. */
  readonly hasBackoffLimit?: boolean;
}

/** Another controller that runs all jobs of a kind, wherever it is at work. */
export interface OtherController<Manifest extends JobManifest = JobManifest> {
  /** Its name, for people. */
  readonly name: string;
  /** How people switch it off. */
  readonly switchOff: string;
  /** Whether it has begun the job: then nothing is done for it. */
  hasBegun(manifest: Manifest): boolean;
  /** For how long a new job is left alone, so that it can be seen. */
  readonly headStartMs: number;
}

/** Objects by which others ask something of a job that they belong to. */
export interface Commands {
  readonly kind: OwnedKind;
  /**
   * What becomes of the job's record, upon which `runPolicy` and `outcome` act, and by which {@link isOnRecord} knows the command; and what is
   * said of it. The object is deleted when that is written.
   */
  follow(status: JobStatus, command: KubeObject): FollowedCommand;
  /** Whether it was followed, or ignored, before: it is only deleted then. */
  isOnRecord(status: JobStatus, command: KubeObject): boolean;
}

export interface FollowedCommand {
  readonly status: JobStatus;
  readonly note: string;
  /** Whether nothing comes of it. */
  readonly isIgnored: boolean;
}

/** Services by which pods find one another. Without it the engine makes none, and gives pods no names in DNS. */
export interface Network<Options = unknown> {
  /** The replica that the others address: it gets a Service of its pod's name in every service mode. */
  addressed(job: TrainingJob<Options>): Replica | undefined;
}

/** Which pods start when, and which go last. */
export interface Scheduling<Options = unknown> {
  /**
   * Whether pods of the role may be made yet, by how the others are doing; pods that are there stay. Default: at once. Not
   * asked where a gang scheduler waits for pods of the role before it places any (see `leastReplicas`).
   */
  mayStart?(job: TrainingJob<Options>, role: ReplicaRole, tallies: readonly RoleTally[]): boolean;
  /** For what a role that may not start waits, in words that follow `No pods of Server are made before`. Default: nobody is told. */
  waitsFor?(job: TrainingJob<Options>, role: ReplicaRole, tallies: readonly RoleTally[]): string;
  /**
   * The least number of the role's replicas with which the job can go on, for gang schedulers. Default: all. With 0 no gang
   * waits for the role.
   */
  leastReplicas?(job: TrainingJob<Options>, role: ReplicaRole): number;
  /**
   * Whether the others cannot go on without the replica's pod, so that it goes last when its role is scaled down, also if the
   * job's author names it. Default: the one that is addressed.
   */
  isIndispensable?(job: TrainingJob<Options>, replica: Replica): boolean;
}

/** A job that Kubernetes scales by metrics. Its kind has a scale subresource. */
export interface AutoscalingFacet<Options = unknown> {
  /** Undefined: this job is not to be scaled so. */
  autoscaler(job: TrainingJob<Options>): Autoscaling | undefined;
}

/** A job whose number of replicas may change while it runs. */
export interface Elastic<Options = unknown> {
  /** Of all that is elastic in it together. Undefined: this job is not elastic. */
  bounds(job: TrainingJob<Options>): ElasticBounds | undefined;
  /** The role of it that is elastic, of which the status says how many replicas it has. Default: the status does not say it. */
  workers?(job: TrainingJob<Options>): ElasticRole | undefined;
  /** Of a job that is not elastic, why its size does not change well while it runs, and what to do, as a clause. Default: it does. */
  whyFixed?(job: TrainingJob<Options>): string | undefined;
}

/** The one role that grows and shrinks. */
export interface ElasticRole {
  readonly role: string;
  /** As pods are told them. */
  readonly bounds: Required<ElasticBounds>;
  /** The least number of its replicas with which the job goes on. */
  readonly least: number;
  /** Set where the job goes on without replicas for which the cluster has no room. */
  readonly fit?: FitToCapacity;
}

export interface FitToCapacity {
  /** For how long no node has taken a pod before the job goes on without it. */
  readonly unschedulableMs: number;
  /** After how long it tries to have all replicas again, at first. */
  readonly retryMs: number;
}

/** In pods. */
export interface ElasticBounds {
  readonly min: number;
  /** Undefined: there is none. */
  readonly max?: number;
}

/** Roles whose pods a Job or StatefulSet makes. */
export interface Workloads {
  readonly kinds: readonly WorkloadResource['kind'][];
}

/** Objects that jobs of this kind need beside pods and Services. */
export interface OwnedResources<Options = unknown> {
  readonly kinds: readonly OwnedKind[];
  /** Of a job that is suspended as well: its `replicas` are none then. Of a finished one `afterEnd` is asked. */
  desired(job: TrainingJob<Options>, replicas: readonly ReplicaPod[], context: JobContext): readonly DesiredResource[];
  /** What becomes of a job that has ended, of which nothing is made any more. Default: it keeps what does not end with its run. */
  afterEnd?(job: TrainingJob<Options>, context: JobContext): AfterEnd;
  /** What its pods need that the operator can neither list nor watch. */
  ensured?(job: TrainingJob<Options>): readonly EnsuredObject[];
  /** The options of a job whose own Service, which is among these, has this name. Default: it has none. */
  inService?(options: Options, serviceName: string): Options;
  /** What the operator has to be allowed beside watching, making and changing all of that. */
  readonly permissions?: readonly Permission[];
}

/** What is left of a job after its end. */
export interface AfterEnd {
  /** Of what there is; all else goes of the kinds that end with the run. */
  readonly kept: readonly DesiredResource[];
  /** Whether the job itself goes. */
  readonly deletesJob?: boolean;
  /** Whether a pod of what it owns may have other containers that still run: then the job stays for their grace. Default: none has. */
  readonly hasSidecars?: boolean;
  /** In how many milliseconds that is another. */
  readonly recheckAfterMs?: number;
  /** What is to be said to the outside, as {@link FactsFacet.calls} of a job that has not ended. */
  readonly calls?: readonly Question[];
  /** Events of type Warning; each is emitted once. */
  readonly warnings?: readonly JobWarning[];
}

/** Something that the author of a job has to know. */
export interface JobWarning {
  readonly reason: EventReason;
  readonly note: string;
}

/**
 * An annotation that pods are given while they run, and again when it changes: a kubelet looks anew at what a pod mounts when
 * the pod is changed, and else once in a minute or two.
 */
export interface PodAnnotation<Options = unknown> {
  /** Undefined: the replica's pod has none. */
  value(
    job: TrainingJob<Options>,
    replica: Replica,
    replicas: readonly ReplicaPod[],
    context: JobContext,
  ): string | undefined;
}

/** The form of this kind's status, where that is not the engine's own record (`JobStatus`). */
export interface StatusCodec<Manifest extends JobManifest = JobManifest, Options = unknown> {
  /** Whether `status.replicaStatuses.<role>.selector` is written, for the scale subresource. */
  readonly hasSelectors?: boolean;
  /**
   * The field of the status in which the engine's record is kept, beside what `encode` gives. Default: the status is the record, with
   * what `encode` adds to it. Where a CustomResourceDefinition lacks the field, the record is kept in an annotation.
   */
  readonly recordIn?: string;
  /** What another operator has left on record, of a job whose status lacks `recordIn`. Never throws, whatever is stored. */
  inherited?(manifest: Manifest): JobStatus;
  /**
   * What is stored of `status`, the engine's record. Default: that itself. Only ordered data: the same arguments, the same object.
   * Called again when nothing but what it is shown has changed, so a fact or an owned resource may show in the status.
   */
  encode?(status: JobStatus, seen: StatusView<Manifest, Options>): object;
}

/** What a kind's status may show beside the engine's record. */
export interface StatusView<Manifest extends JobManifest = JobManifest, Options = unknown> {
  readonly manifest: Manifest;
  /** Undefined where the manifest cannot be read: it has problems, or what it refers to is not there. */
  readonly job: TrainingJob<Options> | undefined;
  /** None of a job that is suspended. */
  readonly replicas: readonly ReplicaPod[];
  readonly context: JobContext;
}

/** What is recreated when a replica fails, where that is not what its role's restart policy says. */
export interface Failures<Options = unknown> {
  /**
   * What it says is recreated, whatever the restart policy; undefined leaves it to the policy, whose scope is the replica. Asked
   * of failed replicas only. One that cannot join again (`ReplicaRole.cannotRejoin`) or that a Job runs is recreated with its
   * role or its job alone.
   */
  scopeOf(job: TrainingJob<Options>, replica: ReplicaPod, ages: StateAges): RestartScope | undefined;
  /**
   * The same of one whose pod runs or has not started yet: it counts as failed then. When that is asked again though nothing happens,
   * `Outcome.recheckAfterMs` says. Default: it stays.
   *
   * @param replicas all of the job
   */
  scopeOfOther?(
    job: TrainingJob<Options>,
    replica: ReplicaPod,
    ages: StateAges,
    replicas: readonly ReplicaPod[],
  ): RestartScope | undefined;
}

/** Objects that the spec refers to. */
export interface References<Manifest extends JobManifest = JobManifest> {
  readonly kinds: readonly ReferenceKind[];
  /** Called of any manifest, also one with problems; never throws. */
  of(manifest: Manifest): readonly Reference[];
}

/** What is asked of the outside, and said to it. */
export interface FactsFacet<Manifest extends JobManifest = JobManifest, Options = unknown> {
  /** Whether Services of the cluster are asked, for which an operator outside of it needs a right. */
  readonly asksServices?: boolean;
  /** What is to be known of a job that has not ended, by what there is of it already; never throws. */
  questions(manifest: Manifest, context: JobContext): readonly Question[];
  /**
   * What is to be said to the outside now, of a job that may run; done after all else in a pass. The answer is among the facts, by
   * which it is known that it need not be said again. An operator that starts anew does not know it, so whoever is spoken to has
   * to take the same twice.
   */
  calls?(job: TrainingJob<Options>, replicas: readonly ReplicaPod[], context: JobContext): readonly Question[];
}

/** A gauge of its own, read off the jobs when somebody asks for metrics: exact at any time, also after a restart. */
export interface JobGauge<Manifest extends JobManifest = JobManifest> {
  readonly metric: GaugeDeclaration;
  /** What the job adds, by its own status; nothing while there is nothing to say. Called of any manifest; never throws. */
  samples(manifest: Manifest): readonly Sample<string>[];
}

/** What has to be done before a deleted job may go. */
export interface Finalize<Options = unknown> {
  /** The finalizer's name: `test.muster.dev/clean-up`. It is put on a job before anything is made for it. */
  readonly name: string;
  /** Whether the job needs it. One that has it all the same, by another operator, loses it as well. Default: each does. */
  isNeeded?(manifest: JobManifest): boolean;
  /** How far that is. Asked again whenever something changes; `replicas` are the pods that are still there. */
  step(job: TrainingJob<Options>, replicas: readonly ReplicaPod[], context: JobContext): FinalizeStep;
}

export interface FinalizeStep {
  /** The finalizer is removed, and the job goes. */
  readonly isDone: boolean;
  /** Whether its pods are deleted now. Default: they stay until the job is gone. */
  readonly deletesPods?: boolean;
  /** In how many milliseconds that is another though nothing else happens. */
  readonly recheckAfterMs?: number;
  /** What is needed for it. */
  readonly ownedResources?: readonly DesiredResource[];
  /** What is to be said to the outside. */
  readonly calls?: readonly Question[];
}
