/** A replica of a job, and the pod that it has. */
import type { KubeObject, Pod } from '@muster/job-api';
import type { MatchedRule } from './matched-rule.ts';
import type { Replica, RestartScope } from './training-job.ts';

/**
 * What a replica is doing. `terminating`: its pod is being deleted and still holds the name; how it ends under the
 * deletion is nobody's failure, and no success either: a program that answers the signal by ending with 0 is not done.
 * `succeeded` is said of a pod that has ended well, also when it is deleted after that, and of one that is gone but on
 * record as having ended well.
 */
export type ReplicaState = 'missing' | 'pending' | 'running' | 'succeeded' | 'failed' | 'terminating';

export interface ReplicaPod extends Replica {
  readonly state: ReplicaState;
  /**
   * Why no pod is created for it now, of a replica without one. `name`: a pod that is not the replica's still holds its name, or its
   * place. `attempt`: its pod goes with those of its role or job. `group`: its replica has several pods, and others of them still go.
   * `delay`: the failure policy asks for a delay. Default: nothing blocks it.
   */
  readonly blockedBy?: 'name' | 'attempt' | 'group' | 'delay';
  /** Whether it has run in a job that runs, of a role whose replicas cannot join again or have several pods. */
  readonly hasStarted?: boolean;
  /** What is recreated because it has failed, where the framework says so (`FrameworkAdapter.failures`). */
  readonly restartScope?: RestartScope;
  /** The rule of the job's failure policy that decides what follows from its failure. */
  readonly policyRule?: MatchedRule;
  /** Whether that rule is of an earlier failure, whose restart takes this replica along. */
  readonly isTakenAlong?: boolean;
  /** There is none in state `missing`; in state `succeeded` there may be none. */
  readonly pod?: Pod;
  /** The Job or StatefulSet that makes its pods, of a role that has one. */
  readonly workload?: KubeObject;
}

/** Whether the replica lacks a pod that nothing keeps from being created. */
export function isToCreate({ state, blockedBy }: ReplicaPod): boolean {
  return state === 'missing' && blockedBy === undefined;
}

export interface JobReplicas {
  /** One for each replica that the spec asks for, in the order of roles and indexes. */
  readonly wanted: readonly ReplicaPod[];
  /** Pods of the job beyond that: an index that the role no longer has, or no role, or an earlier attempt. */
  readonly surplus: readonly Pod[];
}
