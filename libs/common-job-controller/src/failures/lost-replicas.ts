/**
 * Lost replicas that cannot rejoin a running job (`ReplicaRole.cannotRejoin`): a recreated one and the others would wait for each other
 * forever. The status records which replicas have run, because a removed pod does not show it.
 */
import type { EventReason } from '@muster/job-api';
import type { TrainingJob } from '../model/training-job.ts';
import type { PlannedEvent } from '../model/event.ts';
import { hasEverRun } from '../pods/pod-end.ts';
import { podsPerReplica } from '../model/replica-hosts.ts';
import { podNameOf } from '../model/pod-name.ts';
import { containerRestarts } from '../pods/replica-pods.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';
import { isRestarted } from './restart-policy.ts';

/** Terminating pods do not show that it has run in this run of the job: they may be from before a suspension. */
export function withStart(replica: ReplicaPod, isOnRecord: boolean): ReplicaPod {
  const { role, pod, state } = replica;
  if (role.cannotRejoin === undefined && podsPerReplica(role) === 1) return replica;
  const hasStarted = isOnRecord || (pod !== undefined && !isGoneOrTerminating(replica) && hasEverRun(pod));
  const isLost = (state === 'missing' || state === 'terminating') && isGoneForGood({ role, hasStarted });
  return { ...replica, hasStarted, ...(isLost && { state: 'failed' }) };
}

/** With any restart policy. */
export function isGoneForGood({ role, hasStarted }: Pick<ReplicaPod, 'role' | 'hasStarted'>): boolean {
  return role.cannotRejoin !== undefined && hasStarted === true;
}

export function deletionCause(job: Pick<TrainingJob, 'metadata'>, failed: readonly ReplicaPod[]): string {
  const [first] = failed;
  return first === undefined || !failed.every(isGoneOrTerminating)
    ? ''
    : ` First: pod ${podNameOf(job, first)} was deleted`;
}

export function lossAdvice(failed: readonly ReplicaPod[]): string {
  const lost = failed.filter(isGoneForGood);
  // A replica that its restart policy does not recreate has not failed because it cannot rejoin.
  const first = lost.find(
    ({ pod, role }) => pod === undefined || isGoneOrTerminating({ pod }) || isRestarted(role, pod),
  );
  return first?.role.cannotRejoin === undefined ? '' : `. ${first.role.cannotRejoin}`;
}

/** With Always and OnFailure the kubelet restarts containers. Whether the previous process had joined is unknown. */
export function restartedInPlace(replicas: readonly ReplicaPod[], emitted: ReadonlySet<string>): PlannedEvent[] {
  const reason = 'RestartedWithoutRejoining' satisfies EventReason;
  return replicas.flatMap((replica) => {
    const { pod, role } = replica;
    const { name = '', uid } = pod?.metadata ?? {};
    const dedupKey = `${reason} ${uid}`;
    const isRestarted = pod !== undefined && isGoneForGood(replica) && containerRestarts(pod, role.containerName) > 0;
    if (!isRestarted || emitted.has(dedupKey)) return [];
    const note =
      `The kubelet restarted container ${role.containerName} of pod ${name}. If its previous process had joined the others, the ` +
      `job hangs: ${role.cannotRejoin}`;
    return [{ type: 'Warning', reason, note, action: 'Restart', dedupKey }];
  });
}

export function isGoneOrTerminating({ pod }: Pick<ReplicaPod, 'pod'>): boolean {
  return pod === undefined || pod.metadata?.deletionTimestamp !== undefined;
}
