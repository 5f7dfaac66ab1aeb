import { LEASES, type Lease } from '@muster/job-api';
import { createInformer, type ClusterClient } from '@muster/kube';
import { Registry } from 'prom-client';
import { eventually } from '@muster/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { metricValue } from '../test-support/metric-value.ts';
import { RecordedLog } from '../test-support/recorded-log.ts';
import { TcpCable } from '../test-support/tcp-cable.ts';
import { TestNamespace } from '../test-support/test-namespace.ts';
import { ManualClock } from './clock.ts';
import { LeaderElector, type LeaderElectionOptions } from './leader-election.ts';

/** Short enough for a test, long enough for a busy machine. */
const QUICK = { leaseDurationMs: 8000, renewDeadlineMs: 6000, retryPeriodMs: 400 };
const STOP_MS = 5000;

let api: TestNamespace;
let cleanUps: (() => unknown)[] = [];
let leases = 0;
let name: string;

beforeAll(async () => {
  api = await TestNamespace.create('leader-election');
});
afterAll(() => api.delete());
beforeEach(() => {
  name = `lease-${(leases += 1)}`;
});
afterEach(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
  cleanUps = [];
});

function candidate(identity: string, change: Partial<LeaderElectionOptions> = {}) {
  const registry = new Registry();
  const log = new RecordedLog();
  const lost: string[] = [];
  const elector = new LeaderElector({
    client: api.client,
    namespace: api.name,
    name,
    identity,
    onLost: (reason) => lost.push(reason),
    registry,
    logger: log,
    ...QUICK,
    ...change,
  });
  cleanUps.push(() => elector.stop(STOP_MS, false));
  const isMaster = (): Promise<number | undefined> => metricValue(registry, 'leader_election_master_status', { name });
  /** Starts without awaiting the outcome. */
  const startInBackground = (): void => void elector.start().catch(() => undefined);
  return { elector, log, lost, isMaster, startInBackground };
}

const stored = (): Promise<Lease> => api.client.get(LEASES, { namespace: api.name, name });
const createLease = (spec: NonNullable<Lease['spec']>): Promise<Lease> =>
  api.client.create(LEASES, { metadata: { name, namespace: api.name }, spec });

async function watchedLeases(client: ClusterClient): Promise<LeaderElectionOptions['leases'] & object> {
  const informer = createInformer(client, LEASES, {
    namespaces: [api.name],
    fieldSelector: `metadata.name=${name}`,
    freeze: true,
  });
  informer.start();
  cleanUps.push(() => informer.stop());
  await informer.waitForSync();
  return informer;
}

describe('LeaderElector', () => {
  it('has one leader of two, named in the Lease and in its metric', async () => {
    const [first, second] = [candidate('first'), candidate('second')];
    await first.elector.start();
    second.startInBackground();
    await eventually(() => second.elector.leader === 'first', { describe: 'the second sees who leads' });
    expect([first.elector.isLeader, second.elector.isLeader]).toEqual([true, false]);
    expect([await first.isMaster(), await second.isMaster()]).toEqual([1, 0]);
    expect(await stored()).toMatchObject({
      spec: { holderIdentity: 'first', leaseDurationSeconds: 8, leaseTransitions: 0 },
    });
    expect(first.elector.lastRenewAgeMs).toBeLessThan(QUICK.renewDeadlineMs);
    expect(second.elector.lastRenewAgeMs).toBeUndefined();
  });

  it('is won by exactly one of many that create the Lease at the same time', async () => {
    const candidates = Array.from({ length: 8 }, (_, i) => candidate(`racer-${i}`));
    for (const { startInBackground } of candidates) startInBackground();
    await eventually(() => candidates.every(({ elector }) => elector.leader !== undefined), {
      describe: 'all have observed the leader',
    });
    await eventually(() => candidates.some(({ elector }) => elector.isLeader), { describe: 'one leads' });
    expect(candidates.filter(({ elector }) => elector.isLeader)).toHaveLength(1);
    expect((await stored()).spec?.leaseTransitions).toBe(0);
    // Losing an election is normal: it is not logged as a warning.
    expect(candidates.flatMap(({ log }) => [...log.at('warn'), ...log.at('error')])).toEqual([]);
  });

  it('hands over at once when the leader stops, to a follower that watches the Lease', async () => {
    // With these times a follower without a watch would not try again within this test.
    const slow = { leaseDurationMs: 600_000, renewDeadlineMs: 500_000, retryPeriodMs: 100_000 };
    const first = candidate('first', slow);
    await first.elector.start();
    const second = candidate('second', { ...slow, leases: await watchedLeases(api.client) });
    second.startInBackground();
    await eventually(() => second.elector.leader === 'first', { describe: 'the second follows' });
    await first.elector.stop(STOP_MS);
    expect(first.elector.isLeader).toBe(false);
    expect(await first.isMaster()).toBe(0);
    await eventually(() => second.elector.isLeader, {
      describe: () => ({ expected: 'the second leads', seen: second.log.lines }),
    });
    expect(first.lost).toEqual([]);
    expect(await stored()).toMatchObject({ spec: { holderIdentity: 'second', leaseTransitions: 1 } });
  });

  it('takes over soon when the Lease is deleted under a watching follower, and the old leader notices', async () => {
    const slow = { leaseDurationMs: 600_000, renewDeadlineMs: 500_000, retryPeriodMs: 100_000 };
    const first = candidate('first', slow);
    await first.elector.start();
    const second = candidate('second', { ...slow, leases: await watchedLeases(api.client) });
    second.startInBackground();
    await eventually(() => second.elector.leader === 'first', { describe: 'the second follows' });
    await api.client.delete(LEASES, { namespace: api.name, name });
    await eventually(() => second.elector.isLeader, { describe: 'the second leads' });
  });

  it('releases a Lease in the format that other implementations of the protocol take over', async () => {
    const { elector } = candidate('first');
    await elector.start();
    await elector.stop(STOP_MS);
    expect((await stored()).spec).toMatchObject({ leaseDurationSeconds: 1, leaseTransitions: 0 });
    expect((await stored()).spec?.holderIdentity ?? '').toBe('');
  });

  it('does not release the Lease on a stop without release', async () => {
    const { elector } = candidate('first');
    await elector.start();
    await elector.stop(STOP_MS, false);
    expect((await stored()).spec?.holderIdentity).toBe('first');
  });

  it('rejects a start that is aborted before it leads, and does not affect the leader', async () => {
    await candidate('first').elector.start();
    const { elector } = candidate('second');
    const giveUp = new AbortController();
    const started = elector.start(giveUp.signal);
    giveUp.abort();
    await expect(started).rejects.toThrow('stopped before this process led');
    await elector.stop(STOP_MS);
    expect((await stored()).spec?.holderIdentity).toBe('first');
  });

  it('is lost at once when another process holds the Lease', async () => {
    const { elector, lost } = candidate('first');
    await elector.start();
    await api.client.patch(LEASES, { namespace: api.name, name }, { spec: { holderIdentity: 'usurper' } });
    await eventually(() => lost.length > 0, { describe: 'it notices' });
    expect(lost).toEqual(['usurper holds the Lease']);
    expect(elector.isLeader).toBe(false);
  });

  it('keeps leading when the Lease is deleted and no other candidate exists', async () => {
    const { elector, lost } = candidate('first');
    await elector.start();
    const { uid } = (await stored()).metadata ?? {};
    await api.client.delete(LEASES, { namespace: api.name, name });
    await eventually(
      async () => {
        const { items } = await api.client.list(LEASES, { namespace: api.name });
        return items.some((lease) => lease.metadata?.name === name && lease.metadata.uid !== uid);
      },
      { describe: 'the Lease is back' },
    );
    expect([elector.isLeader, lost]).toEqual([true, []]);
  });
});

describe('LeaderElector cut off from the API server', () => {
  it('loses the leadership at its renew deadline, before another process takes over', async () => {
    const cable = new TcpCable(api.access.server);
    const client = api.connect(await cable.open());
    // In reverse order: hanging connections would block the client's close.
    cleanUps.push(
      () => client.close(),
      () => cable.close(),
    );
    const order: string[] = [];
    const first = candidate('first', { client, onLost: () => order.push('first lost') });
    await first.elector.start();
    const second = candidate('second');
    void second.elector.start().then(
      () => order.push(`second leads while the first ${first.elector.isLeader ? 'does' : 'does not'}`),
      () => undefined,
    );
    await eventually(() => second.elector.leader === 'first', { describe: 'the second follows' });
    cable.pull();
    await eventually(() => second.elector.isLeader, {
      describe: () => ({ expected: 'the second leads', seen: order }),
    });
    expect(order).toEqual(['first lost', 'second leads while the first does not']);
    expect(await first.isMaster()).toBe(0);
    expect(first.log.at('error').map(({ message }) => message)).toEqual(['leadership is lost']);
  });

  it('does not lead after the process was suspended past its deadline, even before onLost is called', async () => {
    const clock = new ManualClock();
    let frozen = 0;
    // A suspended process: time passes, and no timer fires.
    const stalled = Object.create(clock, { monotonic: { value: () => clock.monotonic() + frozen } }) as ManualClock;
    Object.assign(stalled, {
      now: () => clock.now(),
      setTimer: (delayMs: number, run: () => void) => clock.setTimer(delayMs, run),
    });
    const { elector, lost } = candidate('first', { clock: stalled });
    await elector.start();
    expect(elector.isLeader).toBe(true);
    frozen = QUICK.renewDeadlineMs;
    expect([elector.isLeader, lost]).toEqual([false, []]);
    clock.advance(QUICK.retryPeriodMs);
    await eventually(() => lost.length === 1, { describe: 'onLost was called' });
  });
});

describe('LeaderElector and the clock', () => {
  let unanswered = 0;

  /** Counts unanswered requests: each has a timeout on the clock. */
  function countedClient(): ClusterClient {
    return new Proxy(api.client, {
      get(client, verb) {
        const call = Reflect.get(client, verb) as (...args: unknown[]) => Promise<unknown>;
        return async (...args: unknown[]) => {
          unanswered += 1;
          return call.apply(client, args).finally(() => (unanswered -= 1));
        };
      },
    });
  }

  /** Advances in steps. After each it waits until the elector's requests are answered and only its pause is pending. */
  async function pass(clock: ManualClock, totalMs: number): Promise<void> {
    const isIdle = () => unanswered === 0 && clock.pendingTimers === 1;
    for (let passedMs = 0; passedMs < totalMs; passedMs += 100) {
      await eventually(isIdle, { describe: 'the elector has no pending request' });
      clock.advance(100);
    }
    await eventually(isIdle, { describe: 'the elector has no pending request' });
  }

  it.each([
    ['the past', '1999-01-01T00:00:00.000000Z'],
    ['the future', '2199-01-01T00:00:00.000000Z'],
  ])('waits a full lease duration on its own clock for a leader whose record is from %s', async (_what, renewTime) => {
    await createLease({ holderIdentity: 'gone', leaseDurationSeconds: 8, renewTime, acquireTime: renewTime });
    const clock = new ManualClock();
    const { elector, startInBackground } = candidate('first', { clock, client: countedClient() });
    startInBackground();
    await pass(clock, 7900);
    expect(elector.isLeader).toBe(false);
    clock.setWall(Date.UTC(2100, 0, 1));
    expect(elector.leader).toBe('gone');
    await eventually(
      () => {
        if (!elector.isLeader) clock.advance(100);
        return elector.isLeader;
      },
      { describe: 'it leads' },
    );
  });

  it('takes over when the Lease of a silent leader expires, not at its next retry', async () => {
    await createLease({ holderIdentity: 'gone', leaseDurationSeconds: 8 });
    const clock = new ManualClock();
    const slow = { leaseDurationMs: 10_000, renewDeadlineMs: 9000, retryPeriodMs: 7000 };
    const { elector, startInBackground } = candidate('first', { clock, client: countedClient(), ...slow });
    startInBackground();
    await pass(clock, 7900);
    expect(elector.isLeader).toBe(false);
    clock.advance(100);
    await eventually(() => elector.isLeader, { describe: 'it leads' });
  });

  it('restarts the wait whenever the record changes, whatever its content', async () => {
    await createLease({ holderIdentity: 'alive', leaseDurationSeconds: 4 });
    const clock = new ManualClock();
    const { elector, startInBackground } = candidate('first', { clock, client: countedClient() });
    startInBackground();
    for (let renewal = 1; renewal <= 4; renewal += 1) {
      await pass(clock, 3000);
      await api.client.patch(LEASES, { namespace: api.name, name }, { spec: { leaseTransitions: renewal } });
    }
    await pass(clock, 2000);
    expect(elector.isLeader).toBe(false);
  });
});

describe('LeaderElector and a Lease of another origin', () => {
  it.each<[string, NonNullable<Lease['spec']>]>([
    ['nothing', {}],
    ['only a holder, with an empty name', { holderIdentity: '' }],
    ['a transition counter at its maximum', { holderIdentity: '', leaseTransitions: 2_147_483_647 }],
    ['a holder without duration', { holderIdentity: 'someone' }],
    ['a holder with a duration of one second', { holderIdentity: 'someone', leaseDurationSeconds: 1 }],
  ])('takes over a Lease that holds %s', async (_what, spec) => {
    await createLease(spec);
    const { elector } = candidate('first');
    await elector.start();
    expect((await stored()).spec).toMatchObject({ holderIdentity: 'first', leaseDurationSeconds: 8 });
  });

  it('keeps labels and annotations that others set on the Lease', async () => {
    const metadata = { name, namespace: api.name, labels: { team: 'ml' } };
    await api.client.create(LEASES, { metadata, spec: {} });
    await candidate('first').elector.start();
    expect((await stored()).metadata?.labels).toEqual({ team: 'ml' });
  });
});
