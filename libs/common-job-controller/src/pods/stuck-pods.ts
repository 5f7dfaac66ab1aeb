/**
 * Terminating pods that are not removed, for example on a lost node. They hold their name, and after a forced deletion the old program
 * could still run. A user must decide, so an event reports each pod once.
 */
import { type EventReason, momentOf, type Pod } from '@muster/job-api';
import type { PlannedEvent } from '../model/event.ts';
import { earliest } from '../model/requeue.ts';

/** Beyond the grace period, which `deletionTimestamp` includes. */
const TIMEOUT_MS = 120_000;

/** @param forced UIDs of pods that are deleted by force: no event reports them */
export function stuckPods(
  pods: readonly Pod[],
  emitted: ReadonlySet<string>,
  nowMs: number,
  forced: ReadonlySet<string> = new Set(),
): { readonly events: readonly PlannedEvent[]; readonly requeueAfterMs: number | undefined } {
  const unreported = pods.flatMap(({ metadata }) => {
    const { name = '', uid = '', deletionTimestamp } = metadata ?? {};
    if (deletionTimestamp === undefined || emitted.has(uid)) return [];
    return [{ name, uid, inMs: (momentOf(deletionTimestamp) ?? nowMs) + TIMEOUT_MS - nowMs }];
  });
  const stuck = unreported.filter(({ uid, inMs }) => inMs <= 0 && !forced.has(uid));
  return {
    events: stuck.map(({ name, uid }) => ({
      type: 'Warning',
      reason: 'PodStuckTerminating' satisfies EventReason,
      note:
        `Pod ${name} is stuck terminating, so its replica cannot be recreated. If its node is permanently lost, add the ` +
        `taint node.kubernetes.io/out-of-service to the node, or delete the pod with --force --grace-period=0.`,
      action: 'DeletePod',
      dedupKey: uid,
    })),
    requeueAfterMs: earliest(...unreported.filter(({ inMs }) => inMs > 0).map(({ inMs }) => inMs)),
  };
}
