/**
 * The reasons of conditions and events, each with its description for the reference pages.
 *
 * Most condition reasons are the kind followed by one of {@link REASON_SUFFIXES} (`PyTorchJobRunning`), as in Kubeflow.
 * Clients match on reasons: a new meaning gets a new reason, and an old one is never reused.
 */

/** Suffixes of the kind's name, in conditions and their events. */
export const REASON_SUFFIXES = {
  Created: 'When the operator first observes the job.',
  Running: 'When the replicas that decide the outcome run.',
  Restarting: 'When a replica failed and its restart policy or the failure policy restarts it.',
  Suspended: 'When `spec.runPolicy.suspend` stopped the job; also on Running, which becomes False.',
  Resumed: 'When a suspended job may run again; on Suspended, which becomes False.',
  Succeeded: 'When the job has succeeded.',
  Failed: 'When the job has failed: a replica failed and is not restarted, or a limit of the run policy was reached.',
} as const;

export type ReasonSuffix = keyof typeof REASON_SUFFIXES;

/** For example `PyTorchJobRunning` for `PyTorchJob` and `Running`. */
export function reasonOf(kind: string, suffix: ReasonSuffix): string {
  return `${kind}${suffix}`;
}

/** Reasons without the kind's name. */
export const REASONS = {
  InvalidSpec:
    'On Failed, when the spec or an annotation has an error that admission could not detect. No pod was created, so a corrected spec ' +
    'removes the Failed condition.',
  FailurePolicy:
    'On Failed, when a rule of `spec.runPolicy.failurePolicy` with action FailJob matched a failure; the message names both.',
  StartDeadlineExceeded:
    'On Failed, when the replicas did not all run within `spec.runPolicy.startDeadlineSeconds`; the message says how many ran, and what ' +
    'the job waited for.',
  FailedCreate:
    'On ReplicaFailure, when the API server rejects the creation of an object of the job because of a policy, a webhook, a quota or ' +
    'missing permissions; the message contains its response.',
  FailedUpdate:
    'On ReplicaFailure, when the API server rejects an update of an object of the job, for the same causes: a pod group, an ' +
    'autoscaler, a pod to adopt. If the job needs the object, no pods are created until the update is accepted.',
  FailedDelete:
    'On ReplicaFailure, when the API server rejects the deletion of an object of the job. Everything that does not depend on it ' +
    'continues.',
  NameTaken:
    'On ReplicaFailure, when an object with another owner has the name of an object that the job needs. An object that the job can ' +
    'run without (an autoscaler) does not delay the job.',
  ReferenceNotFound:
    'On ReplicaFailure, when an object that the spec names does not exist. The job starts when it exists.',
  GangSchedulerNotFound:
    "On ReplicaFailure, when the cluster or the operator does not support the job's gang scheduler. The pods are created when it is " +
    'available.',
  QueueingUnavailable:
    "On ReplicaFailure, when Kueue's API or a ResourceFlavor of a running job cannot be read. Existing pods continue to run; missing " +
    'pods are created when it can be read.',
  Queued:
    "On Suspended, while Kueue has not admitted the Workload that Muster created for the job; the message contains Kueue's reason.",
  Evicted:
    'On Suspended, when Kueue evicted the job, for example for a job with a higher priority, until it is admitted again.',
  PlanningFailed:
    'On ReplicaFailure, when Muster cannot determine what the job needs, because of a defect of Muster or an undetected error in the ' +
    'spec. It is retried when the job changes, and every ten minutes.',
} as const;

/** Reasons of the condition ReplicaFailure. */
export type ReplicaFailureReason = Exclude<
  keyof typeof REASONS,
  'InvalidSpec' | 'FailurePolicy' | 'StartDeadlineExceeded' | 'Queued' | 'Evicted'
>;

/** The only reason with which Failed is not final. */
export const INVALID_SPEC = 'InvalidSpec' satisfies keyof typeof REASONS;

/** The reason of Failed if the job's failure policy ended the job. */
export const FAILURE_POLICY = 'FailurePolicy' satisfies keyof typeof REASONS;

/** The reason of Failed if the replicas did not run in time. */
export const START_DEADLINE_EXCEEDED = 'StartDeadlineExceeded' satisfies keyof typeof REASONS;

/** Reasons of events, in addition to those of conditions. */
export const EVENT_REASONS = {
  SuccessfulCreatePod: 'When pods were created; the note names other objects created with them.',
  FailedCreatePod: 'When a pod could not be created; the note contains the response of the API server.',
  SuccessfulDeletePod:
    'When pods were deleted: to restart, suspend, scale down or clean up; the note names other objects deleted with them.',
  FailedDeletePod: 'When a pod could not be deleted.',
  FailedUpdatePod: 'When a pod could not be adopted, released or annotated.',
  AdoptedPod: "When pods with the job's labels and without an owner were adopted.",
  SuccessfulCreateService: 'When Services were created, without pods.',
  FailedCreateService: 'When a Service could not be created.',
  SuccessfulDeleteService: 'When Services were deleted, without pods.',
  FailedDeleteService: 'When a Service could not be deleted.',
  FailedUpdateService: 'When a Service could not be adopted.',
  AdoptedService: "When Services with the job's labels and without an owner were adopted.",
  ReleasedPod: 'When a pod whose labels no longer name the job was released.',
  WaitingForPodGroup:
    'When no pods are created because the gang scheduler has not admitted the pod group; the note has the cause.',
  WaitingForRole:
    'When pods of a role are not created yet because `spec.runPolicy.startOrder` makes it wait for another role; the note has that ' +
    "role's progress.",
  CommandIssued: 'When a command object for the job was executed and deleted; the note names the command.',
  CommandIgnored: 'When a command object was deleted without being executed; the note has the cause and what to do.',
  ManagedByOther:
    'When another controller for the same kind has started the job: Muster does not manage it. The note says how to disable the other ' +
    'controller.',
  QueuedByKueue: "When Kueue's own integration has created a Workload for the job: Muster creates none.",
  Unschedulable:
    "When no node accepts a pod, or the gang scheduler cannot place the pods together; the note contains the scheduler's message.",
  ImagePullBackOff:
    "When a container waits and the kubelet reports why; the reason is the kubelet's, so it can differ, such as `ErrImagePull`, " +
    '`CreateContainerConfigError` or `CrashLoopBackOff`.',
  SetPodTemplateSchedulerName: 'When pod templates set a scheduler other than the gang scheduler; it is kept.',
  SchedulingPolicyNotMet:
    'When the gang scheduler does not support what the job requests; the note says what, and what to do.',
  PodStuckTerminating: 'When a deleted pod is not removed, so that its replica cannot be recreated.',
  InvalidChange:
    'When the spec of a running job was changed to an invalid one; the job continues unchanged until it is corrected.',
  NotRestartedInPlace:
    'When a pod that was to restart in place had not restarted after a minute, or had ended; it is recreated.',
  RestartedWithoutRejoining:
    'When the kubelet restarted a container while other replicas kept running, and the new process cannot rejoin them, or they may ' +
    'wait for the previous one; the note says what to do.',
  ScaleDownPodKept:
    'When the annotation `muster.dev/scale-down-pods` names a pod that other pods connect to and cannot run without; it is kept.',
  ShrunkToCapacity:
    'When an elastic job continues with fewer workers than its spec requests (`elasticPolicy.fitToCapacity`); the note has the cause ' +
    'and the time of the next attempt with all workers.',
  RestoredToRequestedSize: 'When an elastic job that had shrunk runs with all workers again.',
  WorldSizeOutdated:
    'When the number of replicas of a running job that is not elastic was changed: running pods still have the previous number.',
  NoProgress:
    'When the replicas have run for `progressDeadlineSeconds` without progress; the note names the replica that is behind.',
  ProgressUnknown:
    'When no replica has reported progress for `progressDeadlineSeconds`: the operator cannot reach the pods, or the programs do not ' +
    'respond. Nothing is restarted because of this. Also the reason of the condition ProgressKnown.',
  ProgressNotReported:
    'When a job sets `progressDeadlineSeconds` and none of its containers has a port named `progress`.',
  ForcedDeletePod: 'When a pod was force-deleted because its node is lost (`lostNodeTimeoutSeconds`).',
  LostNodeTimeoutIgnored:
    'When a job sets `lostNodeTimeoutSeconds` and the operator runs without `--force-delete-pods-on-lost-nodes`.',
  FailedUpdateStatus: 'When the API server rejects the status of the job; the note has the cause. It is retried.',
  FailedDeleteJob: 'When the job could not be deleted after its time to live.',
  SubmitterLost:
    'When the submitter of a RayJob failed or was deleted while Ray runs the job, which continues; the note names the command that ' +
    'shows the rest of its log.',
  NoDeletionRuleMatched:
    'When no rule of `spec.deletionStrategy` matches the end of a RayJob, so that nothing is deleted; the note names what is kept.',
  MissedSchedule:
    'When scheduled times of a RayCronJob had no RayJob: the operator did not run, an earlier RayJob had not ended, or the API server ' +
    'refused the RayJob. The note has their number and the last one.',
  UpdatedServeApplications:
    'When Ray Serve on a cluster of a RayService has accepted `spec.serveConfigV2`; the note names the cluster.',
  UpdatedServeTargetCapacity:
    'When Ray Serve on a cluster of a RayService has accepted another `target_capacity` in an incremental upgrade; the note names cluster and capacity.',
  FailedToUpdateServeApplications:
    'When Ray Serve refuses `spec.serveConfigV2` of a RayService; the note has its message. The config is submitted again when it changes.',
  RayServiceInitializingTimeout:
    'When a RayService was not ready in the time of `ray.io/initializing-timeout`; the note has what it waited for. Its cluster is deleted.',
  RayJobNotStopped:
    "When a RayJob ended before Ray's job, and Ray did not respond to the stop request; the note names what may still run.",
  AnnotationIgnored:
    'When a `muster.dev/` annotation is unknown, or got an invalid value after the job started; it is ignored.',
  APIServerWarning:
    'When the API server returned a warning about an object of the job, such as an unknown field in a pod template, which it drops; ' +
    'the note contains the warning. Emitted once for all replicas of a role.',
  SpecWarning:
    'When a field of the spec is ignored, or probably does not have the intended effect; the note names the field.',
  WaitingForDeletion:
    'When an object that the job needs, or that an earlier job of the same name left, is still being deleted.',
  NameTaken: 'When an object with another owner has the name of an object that the job needs; it is not changed.',
  ReferenceNotFound: 'When an object that the spec names does not exist; the job waits for it.',
  PlanningFailed: 'When Muster cannot determine what the job needs; the note has the cause.',
} as const;

export type EventReason = keyof typeof EVENT_REASONS;
