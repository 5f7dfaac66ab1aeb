import type { FailurePolicyRule, KubeObject, Pod } from '@muster/job-api';
import type { Replica, RestartScope } from './training-job.ts';

/**
 * The state of a replica. `terminating`: its pod is being deleted and still holds the name. How that pod ends is neither a failure nor a
 * success: exit code 0 on SIGTERM does not mean that the work is done. `succeeded`: its pod has succeeded, also if it was deleted later, or
 * the status records a success of a pod that is gone.
 */
export type ReplicaState = 'missing' | 'pending' | 'running' | 'succeeded' | 'failed' | 'terminating';

export interface MatchedRule extends FailurePolicyRule {
  /** The rule's name, or its number from 1. */
  readonly name: string;
}

export interface ReplicaPod extends Replica {
  readonly state: ReplicaState;
  /**
   * Why no pod is created now for a replica without one. `name`: another pod still holds its name or place. `attempt`: the previous pods of
   * its role or job are not all gone. `group`: other pods of the same replica are not gone. `delay`: the failure policy sets a delay.
   * Default: not blocked.
   */
  readonly blockedBy?: 'name' | 'attempt' | 'group' | 'delay';
  /**
   * Whether it has run since the job started. Only for roles that cannot rejoin or have several pods per replica. With unique names: whether a
   * pod of this index has existed.
   */
  readonly hasStarted?: boolean;
  /** The restart scope that the framework sets for its failure (`FrameworkAdapter.failures`). */
  readonly restartScope?: RestartScope;
  /** The failure policy's rule for its failure. */
  readonly policyRule?: MatchedRule;
  /** Whether the rule matched an earlier failure, and this replica is restarted with it. */
  readonly isRestartedWithOther?: boolean;
  /** Never set for `missing`. May be unset for `succeeded`. */
  readonly pod?: Pod;
  readonly workload?: KubeObject;
}

export function isToCreate({ state, blockedBy }: ReplicaPod): boolean {
  return state === 'missing' && blockedBy === undefined;
}

export function hasRun({ state }: ReplicaPod): boolean {
  return state === 'running' || state === 'succeeded';
}

export interface JobReplicas {
  readonly wanted: readonly ReplicaPod[];
  /** Other pods of the job: an index above the role's size, an unknown role, or an earlier attempt. */
  readonly surplus: readonly Pod[];
}
