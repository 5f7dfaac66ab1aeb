/**
 * The time between two attempts of a job or role. No new pod is created before all old ones are gone, so that they
 * cannot connect to each other, and before the back-off is over. Until then, ended pods keep their logs.
 */
import { hasEnded, type Pod } from '@muster/job-api';
import { isCreatedByMuster } from '../model/replica-identity.ts';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { ReplicaRole, TrainingJob } from '../model/training-job.ts';
import { controllerOf, ownershipOf } from '../model/ownership.ts';
import { roleName } from '../model/pod-name.ts';
import { isNamedAsReplica } from '../pods/named-as-replica.ts';
import { earliest } from '../model/requeue.ts';
import { attemptOf, attemptOfJob, isOutdated } from '../model/attempt.ts';
import { attemptDueMs } from './group-restart.ts';

interface BetweenAttempts {
  readonly roles: ReadonlySet<ReplicaRole>;
  readonly stay: ReadonlySet<Pod>;
  readonly requeueAfterMs: number | undefined;
}

export function betweenAttempts(
  adapter: FrameworkAdapter,
  job: TrainingJob,
  pods: readonly Pod[],
  nowMs: number,
): BetweenAttempts {
  const restarted = job.roles
    .filter((role) => attemptOf(job, role) > 0)
    .map((role) => ({
      role,
      outdated: outdatedPods(adapter, job, role, pods),
      waitMs: attemptDueMs(job, role, nowMs) - nowMs,
    }));
  const waiting = restarted.filter(({ waitMs }) => waitMs > 0);
  const blocked = restarted.filter(({ outdated }) => outdated.length > 0).map(({ role }) => role);
  // A pod's labels do not show whether it belongs to an earlier attempt of its role or of the job.
  const held = blocked.length > 0 && attemptOfJob(job) > 0 ? job.roles : blocked;
  return {
    roles: new Set([...held, ...waiting.map(({ role }) => role)]),
    stay: new Set(waiting.flatMap(({ outdated }) => outdated.filter(hasEnded))),
    requeueAfterMs: earliest(...waiting.map(({ waitMs }) => waitMs)),
  };
}

function outdatedPods(adapter: FrameworkAdapter, job: TrainingJob, role: ReplicaRole, pods: readonly Pod[]): Pod[] {
  const roleOf = (pod: Pod) => adapter.labels.replicaOf(pod)?.role;
  return pods.filter(
    (pod) =>
      isOutdated(pod, job, role) &&
      roleOf(pod) === role.name.toLowerCase() &&
      (isOfJob(adapter, job, pod) || isOfWorkload(job, role, pod)),
  );
}

/** Includes orphaned replicas: Muster adopts them, then deletes them. */
function isOfJob(adapter: FrameworkAdapter, job: TrainingJob, pod: Pod): boolean {
  const ownership = ownershipOf(pod, job.metadata.uid);
  return ownership === 'owned' || (ownership === 'orphan' && isNamedAsReplica(adapter, job, pod));
}

/** Matches by name, because the workload may already be deleted before its pods. */
function isOfWorkload(job: TrainingJob, role: ReplicaRole, pod: Pod): boolean {
  return !isCreatedByMuster(role) && controllerOf(pod)?.name === roleName(job, role);
}
