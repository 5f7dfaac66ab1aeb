/**
 * What follows from a failure: what is recreated, whether that counts towards backoffLimit, and after how long. The scope is
 * the replica, and its role's restart policy decides, unless the framework says otherwise (`FrameworkAdapter.failures`).
 */
import type { RestartScope } from '../model/training-job.ts';
import { endOf } from '../pods/pod-end.ts';
import { exitCodeOf, type ReplicaPod } from '../pods/replica-pods.ts';
import { isGoing, isGoneForGood } from './lost-replicas.ts';
import { restartDelayMs } from './restart-backoff.ts';
import { isRestarted } from './restart-policy.ts';

interface FailureRule {
  readonly scope: RestartScope;
  /** Whether the program failed: what the cluster, a node or a person did is a disruption, and counts apart. */
  readonly counts: boolean;
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
  return scope && { scope, counts: isOfProgram(replica), afterMs: restartDelayMs(failuresInARow) };
}

function scopeOf(replica: ReplicaPod): RestartScope | undefined {
  const { pod, role, restartScope } = replica;
  if (restartScope === 'Role' || restartScope === 'Job') return restartScope;
  // What a workload runs, it restarts itself.
  if (pod === undefined || role.workload !== undefined || isGoneForGood(replica)) return undefined;
  const failure = { exitCode: exitCodeOf(pod, role.containerName), end: endOf(pod) };
  return restartScope === 'Replica' || isRestarted(role.restartPolicy, failure) ? 'Replica' : undefined;
}

/** A Job says that it has failed when its pods have, so often that it makes no other. */
function isOfProgram(replica: ReplicaPod): boolean {
  const { pod, role } = replica;
  if (role.workload !== undefined) return true;
  return pod !== undefined && !isGoing(replica) && endOf(pod) === 'ProgramFailed';
}
