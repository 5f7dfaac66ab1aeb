/**
 * What a Lease says about who leads, and what is written into it: the pure part of leader election.
 *
 * Nothing here reads the record's own timestamps: they were written by another machine's clock. How long a record has
 * stood unchanged is measured by whoever looks at it.
 */
import type { Lease } from '@muster/job-api';
import { microTime } from './micro-time.ts';

type LeaseSpec = NonNullable<Lease['spec']>;

/** A record may ask for more patience than we would, up to this many times: a mistyped one must not lock us out. */
const PATIENCE_FACTOR = 10;
const MAX_INT32 = 2 ** 31 - 1;

/** Who holds the Lease; undefined when it was released or says nothing. */
export function holderOf(lease: Lease): string | undefined {
  const holder = lease.spec?.holderIdentity;
  return holder === undefined || holder === null || holder === '' ? undefined : holder;
}

/** For how long the record stays valid after it was last seen to change. */
export function validForMs(lease: Lease, ownLeaseDurationMs: number): number {
  const seconds = lease.spec?.leaseDurationSeconds ?? 0;
  if (!(seconds > 0)) return ownLeaseDurationMs;
  return Math.min(seconds * 1000, ownLeaseDurationMs * PATIENCE_FACTOR);
}

/** The record by which `identity` holds the Lease, as successor of `previous` or as its renewal. */
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

/** The record of a Lease that its holder gave up: whoever sees it may take it at once. */
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

/** The API server refuses more than an int32: a counter at its end starts anew rather than block every election. */
function nextTransition(transitions: number): number {
  return transitions >= MAX_INT32 ? 0 : transitions + 1;
}
