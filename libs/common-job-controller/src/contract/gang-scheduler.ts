/**
 * What the engine needs of a gang scheduler, which starts all pods of a job together or none. Everything here is pure:
 * the engine keeps the group of a job that may run, and deletes it when the job is suspended or has ended.
 */
import type { ANNOTATIONS, KubeObject, Pod, Resource, SchedulingPolicy, ResourceAmounts } from '@muster/job-api';
import type { Replica, ReplicaRole, TrainingJob } from '../model/training-job.ts';
import type { Scheduling } from './facets.ts';
import type { Peers, PodAdditions } from './adapter.ts';

/** What a job may ask of a gang scheduler: the fields of its policy, and an annotation. */
export type GangWish = keyof SchedulingPolicy | typeof ANNOTATIONS.gangTopology;

export interface GangScheduler<Group extends KubeObject = KubeObject> {
  readonly name: 'volcano' | 'scheduler-plugins' | 'kubernetes' | 'yunikorn' | 'kai-scheduler';
  /** What pods have in `spec.schedulerName` so that it places them; undefined where they need none. */
  readonly schedulerName: string | undefined;
  /** The objects by which it knows gangs; undefined of one that makes its own, of what the pods say. */
  readonly groups?: PodGroups<Group>;
  /** What of the scheduling policy, and beside it, has a meaning to it. */
  readonly reads: readonly GangWish[];
  /** `pod` as a member of the job's gang. What the user has set stays as it is. */
  decorate(this: void, pod: Pod, job: TrainingJob, replica: Replica, rules: GangRules): Pod;
  /** Why it will not start the job's pods as the job asks, and what to do, for people. Default: it does. */
  shortcoming?(job: TrainingJob, rules: GangRules): string | undefined;
}

/** One that knows gangs by objects. */
export interface GroupingScheduler<Group extends KubeObject> extends GangScheduler<Group> {
  readonly groups: PodGroups<Group>;
}

/** Implement it for a kind of group. A job's group has its name; roles that are made later have groups of their own (`own-groups.ts`). */
export interface PodGroups<Group extends KubeObject = KubeObject> {
  /** The kind of its groups: can be watched only where its CRD is installed. */
  readonly resource: Resource<Group>;
  /** The group that a job needs while it may run. `roles`: whose pods are in it; all by default. */
  desired(job: TrainingJob, size: GangSize, roles?: readonly ReplicaRole[]): Group;
  /**
   * The merge patch that makes `existing` what `wanted` is; undefined when it is that already. Compares, and changes,
   * only what {@link desired} sets: the status and what others have added stays. `Recreate` where its groups cannot be changed:
   * then another one is made as soon as the job has no pods.
   */
  change(existing: Group, wanted: Group): object | 'Recreate' | undefined;
  /** Whether {@link change} may say `Recreate`. Default: no. */
  readonly isReplaceable?: boolean;
  /** How many pods the group waits for; only of groups that cannot be changed. */
  least?(group: Group): number;
  /** Whether the pod is of a group; only of groups that cannot be changed. */
  isMember?(pod: Pod): boolean;
  /** Why no pods can be made yet, for people; undefined when they can. `existing` is undefined until it is made. */
  waitsFor(existing: Group | undefined): string | undefined;
  /** Whether it says of the group as a whole why it is not placed, and what it says of each pod adds nothing. */
  speaksForPods(existing: Group | undefined): boolean;
  /**
   * Why the pods that are made cannot be placed, in the scheduler's words; undefined when it has no complaint. `madeMs` is when the
   * last of its pods was made; undefined while some are missing.
   */
  unschedulable(existing: Group, madeMs?: number): string | undefined;
  /** What the job asks for and `existing` does not have, for people; only of groups that cannot be changed. */
  lacks?(existing: Group, job: TrainingJob): string | undefined;
}

export interface GangSize {
  /** At least 1. */
  readonly minMember: number;
  /** Of which roles how many of them, where fewer than all of the job's pods are enough. */
  readonly minMembers?: ReadonlyMap<ReplicaRole, number>;
  /** What `minMember` pods request, by resource name; undefined when they request nothing. */
  readonly minResources: ResourceAmounts | undefined;
}

/** What the gang of a job depends on besides its manifest: part of a framework's adapter. */
export interface GangRules {
  readonly scheduling?: Pick<Scheduling, 'leastReplicas'>;
  /** What a pod gets from its framework: its init containers count. */
  pod(job: TrainingJob, replica: Replica, peers: Peers): PodAdditions;
}
