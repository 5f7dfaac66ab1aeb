/**
 * The reasons that stand in conditions and events, each with the sentence "when" that the reference pages print.
 *
 * Most condition reasons are the kind followed by one of {@link REASON_SUFFIXES} (`PyTorchJobRunning`), as Kubeflow
 * writes them. Reasons are names to match on: a new meaning gets a new reason, an old one is never reused.
 */

/** Reasons that stand behind the kind's name, both in conditions and in the event that goes with them. */
export const REASON_SUFFIXES = {
  Created: 'When the operator first sees the job.',
  Running: 'When the replicas that decide the outcome run.',
  Restarting: 'When a replica failed in a way that its restart policy retries.',
  Suspended: 'When the job was stopped by `spec.runPolicy.suspend`; also on Running, which becomes False.',
  Resumed: 'When a suspended job may go on; stands on Suspended, which becomes False.',
  Succeeded: 'When the job ended well.',
  Failed: 'When the job ended badly: a replica failed for good, or a limit of the run policy was reached.',
} as const;

export type ReasonSuffix = keyof typeof REASON_SUFFIXES;

/** The reason of `kind` with that suffix: `PyTorchJob` and `Running` make `PyTorchJobRunning`. */
export function reasonOf(kind: string, suffix: ReasonSuffix): string {
  return `${kind}${suffix}`;
}

/** Reasons without the kind's name. */
export const REASONS = {
  InvalidSpec:
    'When the spec or an annotation cannot be run and admission could not see it. No pod was made, so a corrected spec takes the ' +
    'Failed condition back.',
  FailurePolicy:
    'On Failed, when a rule of `spec.runPolicy.failurePolicy` with action FailJob matched a failure; the message names both.',
  FailedCreate:
    'On ReplicaFailure, when the API server does not let an object of the job be made: a policy, a webhook, a quota or missing ' +
    'rights; the message has its words.',
  FailedUpdate:
    'On ReplicaFailure, when the API server does not let an object of the job be changed, for the same reasons: a pod group, an ' +
    'autoscaler, a pod that is taken up. All that does not depend on it goes on.',
  FailedDelete:
    'On ReplicaFailure, when the API server does not let an object of the job be deleted. All that does not depend on it goes on.',
  NameTaken:
    'On ReplicaFailure, when an object of another owner has the name that one of the job needs. What a job can run without ' +
    '(an autoscaler) does not hold it back.',
  ReferenceNotFound: 'On ReplicaFailure, when an object that the spec names is not there. The job starts when it is.',
  GangSchedulerNotFound:
    'On ReplicaFailure, when the cluster or the operator does not know the gang scheduler that is to start the pods. They are made ' +
    'when it is there.',
  QueueingUnavailable:
    "On ReplicaFailure, when a running job's ResourceFlavor or Kueue's API cannot be read. Pods that are there run on; missing " +
    'pods are created when it can.',
  Queued:
    'On Suspended, while Kueue has not admitted the Workload that Muster has made of the job; the message has its words.',
  Evicted:
    'On Suspended, when Kueue has taken back the quota of the job, as for one of a higher priority, until it is admitted again.',
  PlanningFailed:
    'On ReplicaFailure, when Muster cannot work out what the job needs, by a mistake of its own or one in the spec that no ' +
    'rule knows. It is tried again when the job changes, and every ten minutes.',
} as const;

/** Why ReplicaFailure holds. */
export type ReplicaFailureReason = Exclude<
  keyof typeof REASONS,
  'InvalidSpec' | 'FailurePolicy' | 'Queued' | 'Evicted'
>;

/** The one reason with which Failed is not final. */
export const INVALID_SPEC = 'InvalidSpec' satisfies keyof typeof REASONS;

/** The reason of Failed where the job's failure policy has ended it. */
export const FAILURE_POLICY = 'FailurePolicy' satisfies keyof typeof REASONS;

/** Reasons of events about a job's pods and Services, beside those that stand in conditions. */
export const EVENT_REASONS = {
  SuccessfulCreatePod: 'When pods were made; the note names what else was made with them.',
  FailedCreatePod: 'When a pod could not be made; the note is what the API server said.',
  SuccessfulDeletePod:
    'When pods were deleted: to restart, suspend, scale down or clean up; the note names what else went with them.',
  FailedDeletePod: 'When a pod could not be deleted.',
  FailedUpdatePod: 'When a pod could not be taken over, let go or annotated.',
  AdoptedPod: 'When pods without an owner that carry the labels of the job were taken over.',
  SuccessfulCreateService: 'When Services were made and no pods with them.',
  FailedCreateService: 'When a Service could not be made.',
  SuccessfulDeleteService: 'When Services were deleted and no pods with them.',
  FailedDeleteService: 'When a Service could not be deleted.',
  FailedUpdateService: 'When a Service could not be taken over.',
  AdoptedService: 'When Services without an owner that carry the labels of the job were taken over.',
  ReleasedPod: 'When a pod whose labels no longer name the job was let go.',
  WaitingForPodGroup:
    'When no pods are made because the gang scheduler has not let the pod group in; the note says why.',
  WaitingForRole:
    'When pods of a role are not made yet because `spec.runPolicy.startOrder` has it wait for another; the note says how far that is.',
  CommandIssued: 'When an object that asks something of the job was followed, and deleted; the note says what.',
  CommandIgnored: 'When such an object was deleted without being followed; the note says why, and what to do.',
  ManagedByOther:
    'When another controller has begun a job of a kind that it runs as well: Muster leaves the job alone. The note says how to switch that off.',
  QueuedByKueue:
    "When Muster would make the Workload of a job, and Kueue's own integration has made one: that counts, and Muster makes none.",
  Unschedulable:
    'When no node takes a pod, or the gang scheduler cannot place the pods together; the note is what the scheduler says.',
  ImagePullBackOff:
    'When a container waits and the kubelet says why; the reason is its own, so it can be another, such as ' +
    '`ErrImagePull`, `CreateContainerConfigError` or `CrashLoopBackOff`.',
  SetPodTemplateSchedulerName: 'When pods name another scheduler than the gang scheduler; that is kept.',
  SchedulingPolicyNotMet:
    'When the gang scheduler does not do what the job asks of it; the note says what that is, and what to do.',
  PodStuckTerminating: 'When a pod that is deleted does not go, so that its replica cannot be recreated.',
  InvalidChange:
    'When the spec of a job that runs was changed to what cannot be run; the job goes on as it was until that is corrected.',
  NotRestartedInPlace:
    'When a pod that was to restart in place was not back after a minute, or had ended; it is made anew.',
  RestartedWithoutRejoining:
    'When the kubelet has restarted a container in a job whose other replicas run on, and cannot be joined again or may wait for the ' +
    'process of before; the note says what to do.',
  ScaleDownPodKept:
    'When the annotation `muster.dev/scale-down-pods` names a pod that the others address and cannot do without; it stays.',
  ShrunkToCapacity:
    'When an elastic job goes on with fewer workers than its spec asks for (`elasticPolicy.fitToCapacity`); the note says why, and ' +
    'when it tries to have all again.',
  RestoredToRequestedSize: 'When an elastic job that had shrunk has all workers again.',
  WorldSizeOutdated:
    'When the number of replicas of a job that is not elastic was changed while it runs; its pods have been told the number before.',
  NoProgress:
    'When the replicas have run for `progressDeadlineSeconds` and none has come any further; the note says who is behind.',
  ProgressUnknown:
    'When no replica has reported its progress for `progressDeadlineSeconds`: the operator cannot reach the pods, or the programs do not ' +
    'answer. Nothing is restarted for that. Also the reason of the condition ProgressKnown.',
  ProgressNotReported:
    'When a job sets `progressDeadlineSeconds` and none of its containers has a port named `progress`.',
  ForcedDeletePod: 'When a pod was deleted by force because its node is lost (`lostNodeTimeoutSeconds`).',
  LostNodeTimeoutIgnored:
    'When a job sets `lostNodeTimeoutSeconds` and the operator runs without `--force-delete-pods-on-lost-nodes`.',
  FailedUpdateStatus:
    'When the API server refuses to store the status of the job as it stands; the note says why. It is tried again.',
  FailedDeleteJob: 'When the job could not be deleted though its time to live is over.',
  SubmitterLost:
    'When the submitter of a RayJob failed or was deleted while Ray runs the job, which goes on; the note names the command that shows the rest of its log.',
  NoDeletionRuleMatched:
    'When no rule of `spec.deletionStrategy` matches how a RayJob ended, so that nothing is deleted; the note says what stays.',
  RayJobNotStopped:
    "When a RayJob ended before Ray's job, and Ray did not answer the request to stop that; the note says what may still run.",
  AnnotationIgnored:
    "When an annotation of Muster's on a job is none that it knows, or has, on a job that has begun, a value that it cannot have.",
  APIServerWarning:
    'When the API server warned about an object of the job as it stored it, such as an unknown field in a pod template, which it ' +
    'drops; the note has the warning. Emitted once for all replicas of a role.',
  SpecWarning:
    'When something in the spec is not read, or is likely not to do what it is meant to; the note says what.',
  WaitingForDeletion: 'When an object that the job needs, or one of an earlier job under its name, is being deleted.',
  NameTaken: 'When an object of another owner has the name that one of the job needs; it is left alone.',
  ReferenceNotFound: 'When an object that the spec names is not there; the job waits for it.',
  PlanningFailed: 'When Muster cannot work out what the job needs; the note says why.',
} as const;

export type EventReason = keyof typeof EVENT_REASONS;
