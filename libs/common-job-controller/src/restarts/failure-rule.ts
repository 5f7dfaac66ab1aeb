/**
 * What follows from a failure: what is recreated, what it is counted as, and after how long. The job's failure policy decides; of what
 * no rule of it matches, the framework, where it has a say (`FrameworkAdapter.failures`); else the scope is the replica, and its
 * role's restart policy decides.
 */
import { isMadeByMuster } from '../model/replica-identity.ts';
import type { RestartScope } from '../model/training-job.ts';
import { endOf } from '../pods/pod-end.ts';
import { exitCodeOf } from '../pods/replica-pods.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';
import type { MatchedRule } from '../model/matched-rule.ts';
import { isGoing, isGoneForGood } from '../failures/lost-replicas.ts';
import { isTakenFromJob } from '../workloads/workloads.ts';
import { restartDelayMs } from './restart-backoff.ts';
import { isRestarted } from '../failures/restart-policy.ts';

/**
 * Failures count towards backoffLimit, and are what the program does; what the cluster, a node or a person did is a disruption, and counts
 * apart. The failure policy may say otherwise.
 */
export type CountedAs = 'Failure' | 'Disruption' | 'Nothing';

interface FailureRule {
  readonly scope: RestartScope;
  readonly countedAs: CountedAs;
  /** Milliseconds from the failure until a pod may be made in its place. */
  readonly afterMs: number;
}

/**
 * Undefined: the replica has not failed, or stays failed.
 * @param failuresInARow of the scope, this one included
 */
export function failureRule(replica: ReplicaPod, failuresInARow = 1): FailureRule | undefined {
  if (replica.state !== 'failed') return undefined;
  const scope = scopeOf(replica);
  const { delaySeconds } = replica.policyRule ?? {};
  return scope && { scope, countedAs: countedAs(replica), afterMs: restartDelayMs(failuresInARow, delaySeconds) };
}

function scopeOf(replica: ReplicaPod): RestartScope | undefined {
  const { pod, role, restartScope, policyRule } = replica;
  if (policyRule !== undefined) return scopeByPolicy(policyRule, replica);
  if (restartScope === 'Role' || restartScope === 'Job') return restartScope;
  if (pod === undefined || isGoneForGood(replica) || isLeftToWorkload(replica)) return undefined;
  const failure = { exitCode: exitCodeOf(pod, role.containerName), end: endOf(pod) };
  return restartScope === 'Replica' || isRestarted(role.restartPolicy, failure) ? alone(replica) : undefined;
}

/** A workload restarts its pods itself, unless that is Muster's matter, or a Job would count what the cluster took. */
function isLeftToWorkload({ role, workload, pod }: ReplicaPod): boolean {
  if (isMadeByMuster(role) || role.restartsAsPods === true) return false;
  return workload === undefined || !isTakenFromJob(workload, pod);
}

function scopeByPolicy({ action }: MatchedRule, replica: ReplicaPod): RestartScope | undefined {
  switch (action) {
    case 'FailJob':
      return undefined;
    case 'RestartJob':
      return 'Job';
    case 'RestartRole':
      return 'Role';
    case 'RestartReplica':
    case 'Ignore':
      return isGoneForGood(replica) ? undefined : alone(replica);
  }
}

/** The one pod of a Job is recreated by another Job. */
function alone({ role }: ReplicaPod): RestartScope {
  return isMadeByMuster(role) ? 'Replica' : 'Role';
}

export function countedAs(replica: ReplicaPod): CountedAs {
  const { action, countsTowardsBackoffLimit } = replica.policyRule ?? {};
  if (action === 'Ignore') return 'Nothing';
  return (countsTowardsBackoffLimit ?? isOfProgram(replica)) ? 'Failure' : 'Disruption';
}

/** A Job says that it has failed when its pods have, so often that it makes no other. */
function isOfProgram(replica: ReplicaPod): boolean {
  const { pod } = replica;
  if (isLeftToWorkload(replica)) return true;
  return pod !== undefined && !isGoing(replica) && endOf(pod) === 'ProgramFailed';
}

/** Whether the replica has failed in a way that is made good. */
export function isToRestart(replica: ReplicaPod): boolean {
  return failureRule(replica) !== undefined;
}
