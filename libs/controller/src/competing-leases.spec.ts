import type { Lease } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { ManualClock } from './clock.ts';
import { CompetingLeases } from './competing-leases.ts';

const { signal } = new AbortController();

const lease = (namespace: string, created: string, holderIdentity = `${namespace}-pod`, renewals = 0): Lease => ({
  metadata: { namespace, name: 'muster-x', uid: namespace, creationTimestamp: created },
  spec: { holderIdentity, leaseDurationSeconds: 20, renewTime: `${renewals}` },
});

function competingLeases(leases: () => readonly Lease[]) {
  const clock = new ManualClock();
  const list = () => Promise.resolve(leases());
  return { clock, competing: new CompetingLeases({ list, leaseDurationMs: 15_000, clock }) };
}

const [EARLY, MIDDLE, LATE] = ['2030-01-01T00:00:00Z', '2030-01-01T00:00:01Z', '2030-02-01T00:00:00Z'] as const;

describe('CompetingLeases', () => {
  it('orders held Leases by their age, not by their records', async () => {
    const all = [lease('b', LATE), lease('c', EARLY), lease('d', LATE, '')];
    const { ahead, behind } = await competingLeases(() => all).competing.look(lease('a', MIDDLE), signal);
    expect([ahead?.metadata?.namespace, behind?.metadata?.namespace]).toEqual(['c', 'b']);
  });

  it('orders Leases of the same creation time by namespace and name', async () => {
    const { ahead, behind } = await competingLeases(() => [lease('a', EARLY), lease('c', EARLY)]).competing.look(
      lease('b', EARLY),
      signal,
    );
    expect([ahead?.metadata?.namespace, behind?.metadata?.namespace]).toEqual(['a', 'c']);
  });

  it('gives all others precedence over a Lease that does not exist yet', async () => {
    const { ahead, behind } = await competingLeases(() => [lease('b', LATE)]).competing.look(undefined, signal);
    expect([ahead?.metadata?.namespace, behind]).toEqual(['b', undefined]);
  });

  it('ignores a holder that was silent for its lease duration, until it renews again', async () => {
    let renewals = 0;
    const { competing: looking, clock } = competingLeases(() => [lease('b', LATE, 'b-pod', renewals)]);
    const ahead = async () => (await looking.look(undefined, signal)).ahead;
    const first = await ahead();
    expect(first && looking.remainingMs(first)).toBe(20_000);
    clock.advance(19_999);
    expect(await ahead()).toBeDefined();
    clock.advance(1);
    expect(await ahead()).toBeUndefined();
    clock.advance(60_000);
    expect(await ahead()).toBeUndefined();
    renewals = 1;
    expect(await ahead()).toBeDefined();
  });

  it('treats a deleted Lease as silent, and a released one as free', async () => {
    let leases = [lease('b', LATE), lease('c', LATE)];
    const { competing: looking, clock } = competingLeases(() => leases);
    const ahead = async () => (await looking.look(undefined, signal)).ahead?.metadata?.namespace;
    await ahead();
    leases = [lease('c', LATE, '')];
    expect(await ahead()).toBe('b');
    clock.advance(20_000);
    expect(await ahead()).toBeUndefined();
  });
});
