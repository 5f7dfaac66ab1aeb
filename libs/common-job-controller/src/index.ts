/**
 * The engine shared by all frameworks: `observe` reads the World of a job from the caches, `planJob` computes the Plan
 * (a pure function), `execute` applies it. A framework is an adapter: data and pure functions, see `adapter.ts`.
 */
export type { FrameworkAdapter, JobLabels, Outcome, Peers, PodAdditions, Problem } from './contract/adapter.ts';
export type { JobManifest, Replica, ReplicaRole, RestartScope, RoleTally, TrainingJob } from './model/training-job.ts';
export { isUnnumbered, type Position, type WorkloadResource } from './model/replica-identity.ts';
export type {
  AfterEnd,
  ElasticBounds,
  ElasticRole,
  FinalizeStep,
  JobGauge,
  Commands,
  OtherController,
  StatusView,
  JobWarning,
} from './contract/facets.ts';
export type { Probe } from '@muster/probes';
export { readJob, runPolicyOf, statusOf } from './contract/read-manifest.ts';
export { controllerOf, isControlledBy, ownerReference } from './model/ownership.ts';
export type { JobContext } from './model/job-context.ts';
export { ageOf, deletionOf, type StateAges } from './model/state-ages.ts';
export { annotatedGraceMs } from './policies/sidecar-grace.ts';
export { byOperatorName, trainingOperatorLabels } from './contract/labels.ts';
export { hostOf, replicaIndexOf } from './model/replica-hosts.ts';
export { isBesideState } from './model/conditions.ts';
export type { Autoscaling } from './model/autoscaling.ts';
export type { OwnedResource, OwnedKind, DesiredResource, EnsuredObject } from './model/owned-resources.ts';
export { withSearch } from './network/dns-search.ts';
export { ENDPOINT_SLICE_KIND, isFoundBy } from './network/endpoint-slices.ts';
export { JOB_NETWORK_POLICIES, makesNetworkPolicies, withNetworkPolicy } from './network/job-network-policy.ts';
export { gangSchedulerNamed } from './gang/gang-scheduler-named.ts';
export type { GangScheduler } from './contract/gang-scheduler.ts';
export { ownedKinds } from './children/job-owned-resources.ts';
export type { GangSettings } from './contract/gang-settings.ts';
export { createJobOperator, type JobOperator, type JobOperatorOptions } from './operator/job-operator.ts';
export type { ComparedJob, Difference, DocumentedDifference } from './contract/documented-difference.ts';
export { mergePatch } from './model/merge-patch.ts';
export { sshKeys, type SshKeys } from './owned-resources/ssh-keys.ts';
export {
  operatorPermissions,
  leasePermissions,
  nodePermissions,
  otherLeasePermissions,
  readPermissions,
} from './operator/permissions.ts';
export { lostByMultiKueue } from './policies/multikueue.ts';
export { manifestProblems } from './policies/invalid-spec.ts';
export { kueueClusterPermissions, kueuePermissions, WORKLOAD_KIND } from './queueing/kueue-objects.ts';
export { objectsOf } from './reconcile/objects-of.ts';
export { planJob } from './reconcile/plan-job.ts';
export { planningFailure, planOrFailure } from './reconcile/planning-failure.ts';
export type { PlannedEvent } from './model/event.ts';
export type { JobCounter, StatusWrite } from './model/status-write.ts';
export { writesOf, type Write } from './model/write.ts';
export type { Plan, PlannedRun } from './reconcile/plan.ts';
export { portOf, problemsWithPorts } from './contract/ports.ts';
export { failedRole } from './status/outcome.ts';
export { sizedAsGranted } from './elastic/granted-size.ts';
export { recorded } from './status/own-status.ts';
export { FRAMEWORK_LABEL, leaseName, NAMESPACES_ANNOTATION, overlaps } from './operator/lease-scope.ts';
export type { Permission } from './model/permission.ts';
export { programImage, waitContainer, type PortWait } from './pods/wait-container.ts';
export { crashLoopMessage, crashLoopOf, restartLimit } from './pods/crash-loop.ts';
export { hasFailedTwice } from './gauges/failing-state.ts';
export { awaitedBy } from './pods/silent-pod.ts';
export { startProblemOf, type PodProblem } from './pods/waiting-pods.ts';
export { disruptionOf, endOf, IGNORE_DISRUPTIONS, isEndedByCluster } from './pods/pod-end.ts';
export { exitCodeOf, stateOf, isReady } from './pods/replica-pods.ts';
export { isOutdated } from './model/attempt.ts';
export { isToCreate, type ReplicaPod } from './model/replica-pod.ts';
export { sizeOf } from './replicas/role-size.ts';
export { readRoles } from './contract/roles.ts';
export { autoscalingBy, boundsOf, withBounds, type BoundedPolicy } from './contract/elastic-policy.ts';
export { ownVariableWarnings } from './contract/own-variables.ts';
export { newWorld, type InvalidObject, type PlanSettings, type World } from './world/world.ts';

/** What plans jobs without running them is made of: shadow mode. */
export { AccessCheck } from './operator/access-check.ts';
export type { AccessRequest } from './operator/permissions.ts';
export { informersComponent } from './operator/informer-pool.ts';
export { enqueueOnChange, jobInformers } from './operator/job-informers.ts';
export { cacheProblems, mayBeAbsent, type Readiness } from './operator/job-operator.ts';
export { isManagedElsewhere } from './contract/read-manifest.ts';
export { earliest } from './model/requeue.ts';
export { Expectations } from './reconcile/expectations.ts';
export { JobMemory } from './reconcile/job-memory.ts';
export { jobKeysOf, observe, type JobCaches, type WatchedKind } from './reconcile/observe.ts';
