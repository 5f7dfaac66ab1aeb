/**
 * Decides what a failure leads to: what is recreated, and what it counts as. The job's failure policy decides first. If none of its rules
 * matches, the framework decides, if it implements `FrameworkAdapter.failures`. Otherwise only the replica is restarted, subject to its
 * role's restart policy. `restart-backoff.ts` has the delay.
 */
import { isCreatedByMuster } from '../model/replica-identity.ts';
import type { RestartScope } from '../model/training-job.ts';
import { endOf } from '../pods/pod-end.ts';
import type { MatchedRule, ReplicaPod } from '../model/replica-pod.ts';
import { isGoneOrTerminating, isGoneForGood } from '../failures/lost-replicas.ts';
import { isReleasedFromJob } from '../workloads/workloads.ts';
import { isRestarted } from '../failures/restart-policy.ts';

/** Failures of the program count towards backoffLimit. Disruptions by cluster, node or user count separately. */
export type CountedAs = 'Failure' | 'Disruption' | 'Nothing';

/** Undefined if it has not failed, or is not restarted. */
export function scopeOfRestart(replica: ReplicaPod): RestartScope | undefined {
  const { state, pod, role, restartScope, policyRule } = replica;
  if (state !== 'failed') return undefined;
  if (policyRule !== undefined) return scopeByPolicy(policyRule, replica);
  if (restartScope === 'Role' || restartScope === 'Job') return restartScope;
  if (pod === undefined || isGoneForGood(replica) || isLeftToWorkload(replica)) return undefined;
  return restartScope === 'Replica' || isRestarted(role, pod) ? alone(replica) : undefined;
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
  return pod !== undefined && !isGoneOrTerminating(replica) && endOf(pod) === 'ProgramFailed';
}

export function needsRestart(replica: ReplicaPod): boolean {
  return scopeOfRestart(replica) !== undefined;
}
