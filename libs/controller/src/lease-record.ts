/** The record in a Lease. Its timestamps are not used, because they are from another machine's clock. */
import type { Lease } from '@muster/job-api';
import { microTime } from './micro-time.ts';

type LeaseSpec = NonNullable<Lease['spec']>;

/** The record may extend our lease duration by this factor at most: a mistyped duration must not block us. */
const PATIENCE_FACTOR = 10;
const MAX_INT32 = 2 ** 31 - 1;

/** Undefined if the Lease was released or has no holder. */
export function holderOf(lease: Lease): string | undefined {
  const holder = lease.spec?.holderIdentity;
  return holder === undefined || holder === null || holder === '' ? undefined : holder;
}

/** How long the record stays valid after it was last observed to change. */
export function validForMs(lease: Lease, ownLeaseDurationMs: number): number {
  const seconds = lease.spec?.leaseDurationSeconds ?? 0;
  if (!(seconds > 0)) return ownLeaseDurationMs;
  return Math.min(seconds * 1000, ownLeaseDurationMs * PATIENCE_FACTOR);
}

/** The record of `identity` as the holder: a renewal, or a takeover from `previous`. */
export function heldRecord(
  previous: Lease | undefined,
  holder: { identity: string; leaseDurationMs: number; nowMs: number },
): LeaseSpec {
  const renewing = previous !== undefined && holderOf(previous) === holder.identity;
  const renewTime = microTime(holder.nowMs);
  const transitions = transitionsOf(previous);
  return {
    holderIdentity: holder.identity,
    leaseDurationSeconds: Math.ceil(holder.leaseDurationMs / 1000),
    acquireTime: (renewing ? previous.spec?.acquireTime : undefined) ?? renewTime,
    renewTime,
    leaseTransitions: previous === undefined ? 0 : renewing ? transitions : nextTransition(transitions),
  };
}

/** A released record, which others may take over at once. */
export function releasedRecord(previous: Lease, nowMs: number): LeaseSpec {
  const time = microTime(nowMs);
  return {
    holderIdentity: '',
    leaseDurationSeconds: 1,
    acquireTime: time,
    renewTime: time,
    leaseTransitions: transitionsOf(previous),
  };
}

function transitionsOf(lease: Lease | undefined): number {
  return lease?.spec?.leaseTransitions ?? 0;
}

/** The API server refuses more than an int32, so the counter wraps to 0. */
function nextTransition(transitions: number): number {
  return transitions >= MAX_INT32 ? 0 : transitions + 1;
}
