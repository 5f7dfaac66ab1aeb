/**
 * Decides what a failure leads to: what is recreated, what it counts as, and after which delay. The job's failure
 * policy decides first. If none of its rules matches, the framework decides, if it implements
 * `FrameworkAdapter.failures`. Otherwise only the replica is restarted, subject to its role's restart policy.
 */
import { isCreatedByMuster } from '../model/replica-identity.ts';
import type { RestartScope } from '../model/training-job.ts';
import { endOf } from '../pods/pod-end.ts';
import { exitCodeOf } from '../pods/replica-pods.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';
import type { MatchedRule } from '../model/matched-rule.ts';
import { isGoing, isGoneForGood } from '../failures/lost-replicas.ts';
import { isReleasedFromJob } from '../workloads/workloads.ts';
import { restartDelayMs } from './restart-backoff.ts';
import { isRestarted } from '../failures/restart-policy.ts';

/** Failures of the program count towards backoffLimit. Disruptions by cluster, node or user count separately. */
export type CountedAs = 'Failure' | 'Disruption' | 'Nothing';

interface FailureRule {
  readonly scope: RestartScope;
  readonly countedAs: CountedAs;
  /** Milliseconds from the failure until the replacement may be created. */
  readonly afterMs: number;
}

/** @param failuresInARow of the scope, including this one */
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

/** True if a workload restarts the pod itself, and a Job would not count a disruption as a failure. */
function isLeftToWorkload({ role, workload, pod }: ReplicaPod): boolean {
  if (isCreatedByMuster(role) || role.restartsAsPods === true) return false;
  return workload === undefined || !isReleasedFromJob(workload, pod);
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

/** Restarting the single pod of a Job means recreating the Job, that is, the role. */
function alone({ role }: ReplicaPod): RestartScope {
  return isCreatedByMuster(role) ? 'Replica' : 'Role';
}

export function countedAs(replica: ReplicaPod): CountedAs {
  const { action, countsTowardsBackoffLimit } = replica.policyRule ?? {};
  if (action === 'Ignore') return 'Nothing';
  return (countsTowardsBackoffLimit ?? isOfProgram(replica)) ? 'Failure' : 'Disruption';
}

/** A Job fails only after more pod failures than its backoffLimit, so its failure is the program's. */
function isOfProgram(replica: ReplicaPod): boolean {
  const { pod } = replica;
  if (isLeftToWorkload(replica)) return true;
  return pod !== undefined && !isGoing(replica) && endOf(pod) === 'ProgramFailed';
}

export function needsRestart(replica: ReplicaPod): boolean {
  return failureRule(replica) !== undefined;
}
