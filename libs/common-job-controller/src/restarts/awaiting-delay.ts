/**
 * The delay that a failure policy asks for holds also where the failed pod is gone before it is over: what the cluster takes away, it
 * deletes.
 */
import type { ReplicaPod } from '../model/replica-pod.ts';
import { placeKey } from '../model/replica-hosts.ts';
import { dueAtMs } from './restart-backoff.ts';
import type { RestartRecord } from '../model/restart-records.ts';

/** The replicas; one that is missing is blocked while its delay is not over. */
export function awaitingDelay(
  wanted: readonly ReplicaPod[],
  records: ReadonlyMap<string, RestartRecord>,
  nowMs: number,
): readonly ReplicaPod[] {
  return wanted.map((replica) =>
    replica.state === 'missing' && delayLeftMs(records.get(placeKey(replica)), nowMs) !== undefined
      ? { ...replica, blockedBy: 'delay' }
      : replica,
  );
}

/** Undefined: there is none, or it is over. */
export function delayLeftMs(record: RestartRecord | undefined, nowMs: number): number | undefined {
  if (record?.delaySeconds === undefined || record.replaced !== true) return undefined;
  const leftMs = dueAtMs(record, nowMs) - nowMs;
  return leftMs > 0 ? leftMs : undefined;
}
