/** A gang scheduler starts all pods of a job or none. All functions are pure. The engine keeps the group only while the job may run. */
import type { ANNOTATIONS, KubeObject, Pod, Resource, SchedulingPolicy, ResourceAmounts } from '@muster/job-api';
import type { Replica, ReplicaRole, TrainingJob } from '../model/training-job.ts';
import type { Scheduling } from './facets.ts';
import type { Peers, PodAdditions } from './adapter.ts';

export type GangSetting = keyof SchedulingPolicy | typeof ANNOTATIONS.gangTopology;

export interface GangScheduler<Group extends KubeObject = KubeObject> {
  readonly name: 'volcano' | 'scheduler-plugins' | 'kubernetes' | 'yunikorn' | 'kai-scheduler';
  /** Undefined if pods need none. */
  readonly schedulerName: string | undefined;
  /** The kind of its pod groups. Undefined if the scheduler creates groups itself from the pods. */
  readonly groups?: PodGroups<Group>;
  readonly reads: readonly GangSetting[];
  /** Adds the job's gang to `pod`. Values that the user has set are kept. */
  decorate(this: void, pod: Pod, job: TrainingJob, replica: Replica, rules: GangRules): Pod;
  /** Why the scheduler cannot start the pods as requested, and what to do, for messages. Default: it can. */
  shortcoming?(job: TrainingJob, rules: GangRules): string | undefined;
}

export interface GroupingScheduler<Group extends KubeObject> extends GangScheduler<Group> {
  readonly groups: PodGroups<Group>;
}

/** The group has the job's name. Roles that are created later have groups of their own (`own-groups.ts`). */
export interface PodGroups<Group extends KubeObject = KubeObject> {
  /** Can be watched only if its CRD is installed. */
  readonly resource: Resource<Group>;
  /** The group that a job needs while it may run, for the pods of `roles`. Default: all roles. */
  desired(job: TrainingJob, size: GangSize, roles?: readonly ReplicaRole[]): Group;
  /** Undefined if they are equal. Compares only what {@link desired} sets. `Recreate`: immutable, recreated once the job has no pods. */
  change(existing: Group, wanted: Group): object | 'Recreate' | undefined;
  readonly isReplaceable?: boolean;
  /** The pods that the group waits for. Only for immutable groups. */
  least?(group: Group): number;
  /** Whether the pod belongs to a group. Only for immutable groups. */
  isMember?(pod: Pod): boolean;
  /** Why no pods can be created yet, for messages. Undefined if they can. `existing` is undefined until the group is created. */
  waitsFor(existing: Group | undefined): string | undefined;
  /** Whether the group's status explains why it is not placed, so that conditions of single pods add nothing. */
  speaksForPods(existing: Group | undefined): boolean;
  /** In the scheduler's message. Undefined if it reports nothing. `madeMs`: creation of the last pod; undefined while pods are missing. */
  unschedulable(existing: Group, madeMs?: number): string | undefined;
  /** What the job requests and `existing` does not have, for messages. Only for immutable groups. */
  unmetRequest?(existing: Group, job: TrainingJob): string | undefined;
}

export interface GangSize {
  readonly minMember: number;
  /** Minimum per role, if fewer than all pods of the job are enough. */
  readonly minMembers?: ReadonlyMap<ReplicaRole, number>;
  /** The requests of `minMember` pods by resource name. Undefined if they request nothing. */
  readonly minResources: ResourceAmounts | undefined;
}

export interface GangRules {
  readonly scheduling?: Pick<Scheduling, 'leastReplicas'>;
  /** Init containers that the framework adds count towards the requests. */
  pod(job: TrainingJob, replica: Replica, peers: Peers): PodAdditions;
}
