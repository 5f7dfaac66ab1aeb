import type { Lease } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { heldRecord, holderOf, releasedRecord, validForMs } from './lease-record.ts';

const holder = { identity: 'me', leaseDurationMs: 15_000, nowMs: Date.UTC(2030, 0, 1, 12) };
const now = '2030-01-01T12:00:00.000000Z';
const before = '2029-12-31T00:00:00.000000Z';

describe('holderOf', () => {
  it.each<[string, Lease, string | undefined]>([
    ['a name', { spec: { holderIdentity: 'a' } }, 'a'],
    ['no holder after a release', { spec: { holderIdentity: '' } }, undefined],
    ['no holder in an empty record', { spec: {} }, undefined],
    ['no holder without a record', {}, undefined],
  ])('reads %s', (_what, lease, expected) => expect(holderOf(lease)).toBe(expected));
});

describe('validForMs', () => {
  it.each([
    ['the duration of the record', 30, 30_000],
    ['our own duration if the record has none', undefined, 15_000],
    ['our own duration if that of the record is out of range', 0, 15_000],
    ['our own duration if that of the record is out of range', -1, 15_000],
    ['at most ten times our own duration', 999_999_999, 150_000],
  ])('gives %s (%s s)', (_what, leaseDurationSeconds, expected) => {
    const spec = leaseDurationSeconds === undefined ? {} : { leaseDurationSeconds };
    expect(validForMs({ spec }, 15_000)).toBe(expected);
  });
});

describe('heldRecord', () => {
  it.each<{ what: string; previous: Lease | undefined; acquireTime: string; leaseTransitions: number }>([
    { what: 'the first record', previous: undefined, acquireTime: now, leaseTransitions: 0 },
    {
      what: 'the successor of another',
      previous: { spec: { holderIdentity: 'other', leaseTransitions: 4, acquireTime: before } },
      acquireTime: now,
      leaseTransitions: 5,
    },
    {
      what: 'the successor of a released record',
      previous: { spec: { holderIdentity: '', leaseTransitions: 4 } },
      acquireTime: now,
      leaseTransitions: 5,
    },
    {
      what: 'a renewal',
      previous: { spec: { holderIdentity: 'me', leaseTransitions: 4, acquireTime: before } },
      acquireTime: before,
      leaseTransitions: 4,
    },
    {
      what: 'a renewal of a record without acquireTime',
      previous: { spec: { holderIdentity: 'me' } },
      acquireTime: now,
      leaseTransitions: 0,
    },
    { what: 'the successor in an empty Lease', previous: {}, acquireTime: now, leaseTransitions: 1 },
    {
      what: 'the successor when the counter is at its end',
      previous: { spec: { holderIdentity: 'other', leaseTransitions: 2_147_483_647 } },
      acquireTime: now,
      leaseTransitions: 0,
    },
  ])('writes $what', ({ previous, acquireTime, leaseTransitions }) => {
    expect(heldRecord(previous, holder)).toEqual({
      holderIdentity: 'me',
      leaseDurationSeconds: 15,
      acquireTime,
      renewTime: now,
      leaseTransitions,
    });
  });

  it('rounds its duration up, so that no process takes over early', () => {
    expect(heldRecord(undefined, { ...holder, leaseDurationMs: 2500 }).leaseDurationSeconds).toBe(3);
  });
});

describe('releasedRecord', () => {
  it('has no holder and is valid for the shortest time', () => {
    const lease: Lease = {
      spec: { holderIdentity: 'me', leaseTransitions: 7, acquireTime: before, renewTime: before },
    };
    expect(releasedRecord(lease, holder.nowMs)).toEqual({
      holderIdentity: '',
      leaseDurationSeconds: 1,
      acquireTime: now,
      renewTime: now,
      leaseTransitions: 7,
    });
  });
});
