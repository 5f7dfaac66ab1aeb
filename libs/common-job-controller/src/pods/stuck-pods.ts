/**
 * Pods that are deleted and do not go, as on a node that is lost. Their replicas cannot be recreated: two pods of one name
 * cannot be, and forcing the first one away could leave its program running beside the new one. What to do is for a
 * person to say, so it is told, once for each pod.
 */
import type { EventReason, Pod } from '@muster/job-api';
import { momentOf } from '../model/moment-of.ts';
import type { PlannedEvent } from '../model/event.ts';
import { earliest } from '../model/requeue.ts';

/** Beyond the grace period, which `deletionTimestamp` includes. */
const PATIENCE_MS = 120_000;

/** @param forced the UIDs of pods that are deleted by force: no event reports these */
export function stuckPods(
  pods: readonly Pod[],
  told: ReadonlySet<string>,
  nowMs: number,
  forced: ReadonlySet<string> = new Set(),
): { readonly events: readonly PlannedEvent[]; readonly requeueAfterMs: number | undefined } {
  const untold = pods.flatMap(({ metadata }) => {
    const { name = '', uid = '', deletionTimestamp } = metadata ?? {};
    if (deletionTimestamp === undefined || told.has(uid)) return [];
    return [{ name, uid, inMs: (momentOf(deletionTimestamp) ?? nowMs) + PATIENCE_MS - nowMs }];
  });
  const stuck = untold.filter(({ uid, inMs }) => inMs <= 0 && !forced.has(uid));
  return {
    events: stuck.map(({ name, uid }) => ({
      type: 'Warning',
      reason: 'PodStuckTerminating' satisfies EventReason,
      note:
        `Pod ${name} is deleted but does not go, so its replica cannot be made anew. If its node is lost for good, give the ` +
        `node the taint node.kubernetes.io/out-of-service, or delete the pod with --force --grace-period=0.`,
      action: 'DeletePod',
      dedupKey: uid,
    })),
    requeueAfterMs: earliest(...untold.filter(({ inMs }) => inMs > 0).map(({ inMs }) => inMs)),
  };
}
