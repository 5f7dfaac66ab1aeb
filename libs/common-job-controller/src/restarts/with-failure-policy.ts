/**
 * Applies the failure policy first, then the framework's rules. After a failure that restarts the role or job, later failures are part of
 * that restart, because the first failure usually causes them.
 */
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { StateAges } from '../model/state-ages.ts';
import type { RestartScope, TrainingJob } from '../model/training-job.ts';
import { isEndedByCluster } from '../pods/pod-end.ts';
import type { MatchedRule, ReplicaPod } from '../model/replica-pod.ts';
import { endedAt } from '../pods/container-end.ts';
import { failedWithPeer, firstFailedReplica } from '../failures/first-failure.ts';
import { hangingReplica } from '../progress/reporting-replicas.ts';
import { matchingRule, hangRule } from './matching-rule.ts';

export function withFailurePolicy(
  adapter: FrameworkAdapter,
  job: TrainingJob,
  wanted: readonly ReplicaPod[],
  ages: StateAges,
): readonly ReplicaPod[] {
  const { failurePolicy } = job.runPolicy;
  const hanging = hangingReplica(job, wanted);
  const judged = wanted.map((replica): ReplicaPod => {
    const ruleOfHanging = replica === hanging ? hangRule(failurePolicy, replica) : undefined;
    const policyRule = ruleOfHanging ?? matchingRule(failurePolicy, replica);
    if (policyRule !== undefined) return { ...replica, state: 'failed', policyRule };
    const restartScope = scopeByFramework(adapter, job, replica, { ages, wanted });
    return restartScope === undefined ? replica : { ...replica, state: 'failed', restartScope };
  });
  return failurePolicy === undefined ? judged : partOfRestarts(judged);
}

function scopeByFramework(
  { failures }: FrameworkAdapter,
  job: TrainingJob,
  replica: ReplicaPod,
  { ages, wanted }: { readonly ages: StateAges; readonly wanted: readonly ReplicaPod[] },
): RestartScope | undefined {
  const { state, pod } = replica;
  // Once the pod is gone, its disruption can no longer be seen.
  const isDisrupted = state === 'terminating' && pod !== undefined && isEndedByCluster(pod);
  if (state === 'failed' || isDisrupted) return failures?.scopeOf(job, replica, ages);
  return state === 'pending' || state === 'running' ? failures?.scopeOfOther?.(job, replica, ages, wanted) : undefined;
}

export function endedByPolicy(replicas: readonly ReplicaPod[]): readonly ReplicaPod[] {
  return replicas.filter(({ policyRule }) => policyRule?.action === 'FailJob');
}

function partOfRestarts(judged: readonly ReplicaPod[]): readonly ReplicaPod[] {
  const by = (action: MatchedRule['action']) => judged.filter(({ policyRule }) => policyRule?.action === action);
  const firstOfJob = firstFailedReplica(by('RestartJob'));
  const ofRoles = Map.groupBy(by('RestartRole'), ({ role }) => role);
  const firstOfRoles = new Map([...ofRoles].map(([role, failed]) => [role, firstFailedReplica(failed)]));
  if (firstOfJob === undefined && firstOfRoles.size === 0) return judged;
  return judged.map((replica) => {
    const { action } = replica.policyRule ?? {};
    if (replica.state !== 'failed' || action === 'RestartJob' || action === 'RestartRole') return replica;
    const firsts = [firstOfJob, firstOfRoles.get(replica.role)];
    const { policyRule } = firsts.find((first) => first !== undefined && isAfter(replica, first)) ?? {};
    return policyRule === undefined ? replica : { ...replica, policyRule, isRestartedWithOther: true };
  });
}

/** The kubelet reports whole seconds. Within the same second, only a FailJob rule takes precedence over the restart. */
function isAfter(replica: ReplicaPod, first: ReplicaPod): boolean {
  if (replica.pod === undefined || first.pod === undefined) return true;
  if (failedWithPeer(replica.pod) && !failedWithPeer(first.pod)) return true;
  const [end, firstEnd] = [endedAt(replica.pod), endedAt(first.pod)];
  return replica.policyRule?.action === 'FailJob' ? end > firstEnd : end >= firstEnd;
}
