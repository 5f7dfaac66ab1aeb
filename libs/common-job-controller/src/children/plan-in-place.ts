import { PODS, type EventReason, type Pod } from '@muster/job-api';
import type { ReplicaPod } from '../model/replica-pod.ts';
import { attemptLabel, attemptOf } from '../model/attempt.ts';
import type { GroupRestart } from '../restarts/group-restart.ts';
import { endNote, restartTimeoutLeftMs, restartNote } from '../pods/in-place.ts';
import type { JobPlanContext } from '../world/plan-context.ts';
import type { PlannedEvent } from '../model/event.ts';
import type { WriteOf } from '../model/write.ts';
import { earliest } from '../model/requeue.ts';

/** @param groups the restarts that start in this run, already applied to status and replicas */
export function planInPlace(context: JobPlanContext, groups: readonly GroupRestart[]) {
  const { job } = context;
  const { wanted } = context.replicas;
  const { nowMs } = context.world;
  const isBegun = (pod: Pod) => groups.some(({ inPlace }) => inPlace.has(pod));
  const begun = wanted.flatMap(({ role, pod }): WriteOf<'annotate'>[] => {
    if (pod === undefined || !isBegun(pod)) return [];
    const annotations = restartNote(pod, role.containerName, attemptOf(job, role), nowMs);
    return [{ op: 'annotate', resource: PODS, object: pod, annotations, labels: attemptLabel(job, role) }];
  });
  const awaited = wanted.flatMap(({ role, pod }) => {
    const leftMs = pod && !isBegun(pod) ? restartTimeoutLeftMs(pod, role.containerName, nowMs) : undefined;
    return pod === undefined || leftMs === undefined ? [] : [{ pod, leftMs }];
  });
  // Not restarted in time, so they are recreated.
  const notBack = awaited.filter(({ leftMs }) => leftMs <= 0).map(({ pod }) => pod);
  return {
    events: notBack.map(notBackEvent),
    writes: [...begun, ...endNotes(wanted.filter(({ state }) => state === 'succeeded'))],
    notBack,
    requeueAfterMs: earliest(...awaited.map(({ leftMs }) => (leftMs > 0 ? leftMs : undefined))),
  };
}

function notBackEvent({ metadata: { name = '', uid = '' } = {}, spec }: Pod): PlannedEvent {
  return {
    type: 'Warning',
    reason: 'NotRestartedInPlace' satisfies EventReason,
    note: `The kubelet of ${spec?.nodeName ?? 'its node'} did not restart pod ${name} in place, so the pod is recreated.`,
    action: 'Restart',
    dedupKey: `not back ${uid}`,
  };
}

export function endNotes(replicas: readonly ReplicaPod[]): WriteOf<'annotate'>[] {
  return replicas.flatMap(({ role, pod }): WriteOf<'annotate'>[] => {
    if (pod === undefined) return [];
    const annotations = endNote(pod, role.containerName);
    return annotations === undefined ? [] : [{ op: 'annotate', resource: PODS, object: pod, annotations }];
  });
}
