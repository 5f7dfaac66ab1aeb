/**
 * Applies the failure policy first, then the framework's rules. After a failure that restarts the role or job, later
 * failures are part of that restart, because the first failure usually causes them.
 */
import type { Pod } from '@muster/job-api';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { StateAges } from '../model/state-ages.ts';
import type { RestartScope, TrainingJob } from '../model/training-job.ts';
import { isEndedByCluster } from '../pods/pod-end.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';
import { endedAt } from '../pods/container-end.ts';
import { failedWithPeer, firstFailed } from '../failures/first-failure.ts';
import { hangingReplica } from '../progress/hanging-replica.ts';
import { matchingRule, hangRule } from './matching-rule.ts';

export function withFailurePolicy(
  adapter: FrameworkAdapter,
  job: TrainingJob,
  wanted: readonly ReplicaPod[],
  ages: StateAges,
): readonly ReplicaPod[] {
  const hanging = hangingReplica(job, wanted);
  const judged = wanted.map((replica): ReplicaPod => {
    const ruleOfHanging = replica === hanging ? hangRule(job.runPolicy, replica) : undefined;
    const policyRule = ruleOfHanging ?? matchingRule(job.runPolicy, replica);
    if (policyRule !== undefined) return { ...replica, state: 'failed', policyRule };
    const restartScope = scopeByFramework(adapter, job, replica, { ages, wanted });
    return restartScope === undefined ? replica : { ...replica, state: 'failed', restartScope };
  });
  return job.runPolicy.failurePolicy === undefined ? judged : partOfRestarts(judged);
}

function scopeByFramework(
  { failures }: FrameworkAdapter,
  job: TrainingJob,
  replica: ReplicaPod,
  { ages, wanted }: { readonly ages: StateAges; readonly wanted: readonly ReplicaPod[] },
): RestartScope | undefined {
  switch (replica.state) {
    case 'failed':
      return failures?.scopeOf(job, replica, ages);
    case 'terminating':
      // Once the pod is gone, its disruption can no longer be seen.
      return replica.pod !== undefined && isEndedByCluster(replica.pod)
        ? failures?.scopeOf(job, replica, ages)
        : undefined;
    case 'pending':
    case 'running':
      return failures?.scopeOfOther?.(job, replica, ages, wanted);
    default:
      return undefined;
  }
}

export function endedByPolicy(replicas: readonly ReplicaPod[]): readonly ReplicaPod[] {
  return replicas.filter(({ policyRule }) => policyRule?.action === 'FailJob');
}

function partOfRestarts(judged: readonly ReplicaPod[]): readonly ReplicaPod[] {
  const ofJob = firstOf(judged.filter(({ policyRule }) => policyRule?.action === 'RestartJob'));
  const ofRoles = Map.groupBy(
    judged.filter(({ policyRule }) => policyRule?.action === 'RestartRole'),
    ({ role }) => role,
  );
  const firstOfRoles = new Map([...ofRoles].map(([role, failed]) => [role, firstOf(failed)]));
  if (ofJob === undefined && firstOfRoles.size === 0) return judged;
  return judged.map((replica) => {
    if (replica.state !== 'failed' || isGroupRestart(replica)) return replica;
    const first = [ofJob, firstOfRoles.get(replica.role)].find((each) => each !== undefined && isAfter(replica, each));
    return first?.policyRule === undefined
      ? replica
      : { ...replica, policyRule: first.policyRule, isRestartedWithOther: true };
  });
}

function isGroupRestart({ policyRule }: ReplicaPod): boolean {
  return policyRule?.action === 'RestartJob' || policyRule?.action === 'RestartRole';
}

/** The kubelet reports whole seconds. Within the same second, only a FailJob rule takes precedence over the restart. */
function isAfter(replica: ReplicaPod, first: ReplicaPod): boolean {
  if (replica.pod === undefined || first.pod === undefined) return true;
  if (failedWithPeer(replica.pod) && !failedWithPeer(first.pod)) return true;
  const [end, firstEnd] = [endedAt(replica.pod), endedAt(first.pod)];
  return replica.policyRule?.action === 'FailJob' ? end > firstEnd : end >= firstEnd;
}

function firstOf(failed: readonly ReplicaPod[]): ReplicaPod | undefined {
  const first = firstFailed(failed.flatMap(({ pod }): Pod[] => (pod === undefined ? [] : [pod])));
  return failed.find(({ pod }) => pod === first) ?? failed[0];
}
