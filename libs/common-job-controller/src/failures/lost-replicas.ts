/**
 * Replicas that are lost in a framework whose processes cannot join again a job that runs (`Role.cannotRejoin`): recreated, one
 * would wait for the others and they for it, for ever. Which have run stands in the status, since a pod that is gone tells
 * nothing; one that has never run is nobody's loss.
 */
import type { EventReason } from '@muster/job-api';
import type { TrainingJob } from '../model/training-job.ts';
import type { PlannedEvent } from '../model/event.ts';
import { endOf, hasEverRun } from '../pods/pod-end.ts';
import { podsPerReplica } from '../model/replica-hosts.ts';
import { podNameOf } from '../model/pod-name.ts';
import { containerRestarts, exitCodeOf } from '../pods/replica-pods.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';
import { isRestarted } from './restart-policy.ts';

/**
 * `replica` with whether it has run; it has failed if it is lost then. Pods that are being deleted
 * do not say that it has run in this run of the job: they may be of the time before a suspension.
 */
export function withStart(replica: ReplicaPod, isOnRecord: boolean): ReplicaPod {
  const { role, pod, state } = replica;
  if (role.cannotRejoin === undefined && podsPerReplica(role) === 1) return replica;
  const hasStarted = isOnRecord || (pod !== undefined && !isGoing(replica) && hasEverRun(pod));
  const isLost = (state === 'missing' || state === 'terminating') && isGoneForGood({ role, hasStarted });
  return { ...replica, hasStarted, ...(isLost && { state: 'failed' }) };
}

/** Whether the replica, if it does not run any more, is not recreated, whoever has ended it and under every restart policy. */
export function isGoneForGood({ role, hasStarted }: Pick<ReplicaPod, 'role' | 'hasStarted'>): boolean {
  return role.cannotRejoin !== undefined && hasStarted === true;
}

/** Of `failed` replicas, which one was deleted, if the pods that are there do not tell. */
export function deletionCause(job: Pick<TrainingJob, 'metadata'>, failed: readonly ReplicaPod[]): string {
  const [first] = failed;
  return first === undefined || !failed.every(isGoing) ? '' : ` First: pod ${podNameOf(job, first)} was deleted`;
}

/** Why what was lost among `failed` is not recreated, and what to do. */
export function lossAdvice(failed: readonly ReplicaPod[]): string {
  const lost = failed.filter(isGoneForGood);
  const first = lost.find((each) => isGoing(each) || wouldBeRestarted(each));
  return first?.role.cannotRejoin === undefined ? '' : `. ${first.role.cannotRejoin}`;
}

/** Whether its policy would have it recreated, could it join again. */
function wouldBeRestarted({ pod, role }: ReplicaPod): boolean {
  if (pod === undefined) return true;
  return isRestarted(role.restartPolicy, { exitCode: exitCodeOf(pod, role.containerName), end: endOf(pod) });
}

/**
 * Warns, once for each, of pods in which the kubelet has started a container again: it does so under Always and OnFailure,
 * and nobody can tell whether the process before it had joined the others.
 */
export function restartedInPlace(replicas: readonly ReplicaPod[], told: ReadonlySet<string>): PlannedEvent[] {
  const reason = 'RestartedWithoutRejoining' satisfies EventReason;
  return replicas.flatMap(({ pod, role, hasStarted }) => {
    const { name = '', uid } = pod?.metadata ?? {};
    const dedupKey = `${reason} ${uid}`;
    const isRestarted = pod !== undefined && hasStarted === true && containerRestarts(pod, role.containerName) > 0;
    if (!isRestarted || told.has(dedupKey)) return [];
    const note =
      `The kubelet has started container ${role.containerName} of pod ${name} again. If it had joined the others before, the ` +
      `job hangs: ${role.cannotRejoin}`;
    return [{ type: 'Warning', reason, note, action: 'Restart', dedupKey }];
  });
}

export function isGoing({ pod }: Pick<ReplicaPod, 'pod'>): boolean {
  return pod === undefined || pod.metadata?.deletionTimestamp !== undefined;
}
