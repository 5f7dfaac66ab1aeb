/**
 * The engine that every framework shares. What a job becomes is decided in one direction: `observe` gathers what is
 * known about it (World), `planJob` says what follows (Plan, a pure function), `execute` does it. A framework is an
 * adapter: data and pure functions, see `adapter.ts`.
 */
export type {
  FrameworkAdapter,
  JobManifest,
  Outcome,
  Peers,
  PodAdditions,
  Problem,
  Replica,
  Role,
  RoleTally,
  TrainingJob,
  Workload,
} from './adapter.ts';
export { hasCondition } from './conditions.ts';
export type { Autoscaling } from './autoscaling/desired-autoscaler.ts';
export type { Companion, CompanionKind, DesiredCompanion, EnsuredObject } from './companions.ts';
export { withSearch } from './dns-search.ts';
export { gangSchedulerNamed } from './gang/gang-scheduler-named.ts';
export { createJobOperator, type JobOperator, type JobOperatorOptions } from './job-operator.ts';
export { mergePatch } from './merge-patch.ts';
export { operatorPermissions } from './job-companions.ts';
export { objectsOf } from './objects-of.ts';
export { planJob } from './plan-job.ts';
export { planningFailure } from './planning-failure.ts';
export { NOTHING_TO_DO, type JobCounter, type Plan, type PlannedEvent } from './plan.ts';
export { portOf, problemsWithPorts } from './ports.ts';
export { failedRole } from './outcome.ts';
export type { Permission } from './permissions.ts';
export { isReady, type ReplicaPod } from './replica-pods.ts';
export { sizeOf } from './role-size.ts';
export { readRoles } from './roles.ts';
export { newWorld, type PlanSettings, type Refusal, type World } from './world.ts';
