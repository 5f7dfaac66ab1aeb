/** Blocks a replica until the delay of its failure policy is over, even if its pod is already gone. */
import type { ReplicaPod } from '../model/replica-pod.ts';
import { placeKey } from '../model/replica-hosts.ts';
import { dueAtMs } from './restart-backoff.ts';
import type { RestartRecord, RestartRecords } from '../model/restart-records.ts';

export function awaitingDelay(wanted: readonly ReplicaPod[], records: RestartRecords, nowMs: number): ReplicaPod[] {
  return wanted.map((replica) =>
    replica.state === 'missing' && delayLeftMs(records.get(placeKey(replica)), nowMs) !== undefined
      ? { ...replica, blockedBy: 'delay' }
      : replica,
  );
}

export function delayLeftMs(record: RestartRecord | undefined, nowMs: number): number | undefined {
  if (record?.delaySeconds === undefined || record.replaced !== true) return undefined;
  const leftMs = dueAtMs(record, nowMs) - nowMs;
  return leftMs > 0 ? leftMs : undefined;
}
