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
  /** Stands for election, without waiting for the outcome. */
  const stand = (): void => void elector.start().catch(() => undefined);
  return { elector, log, lost, isMaster, stand };
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
  it('leads, alone of two, and says so in the Lease and in its metric', async () => {
    const [first, second] = [candidate('first'), candidate('second')];
    await first.elector.start();
    second.stand();
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
    for (const { stand } of candidates) stand();
    await eventually(() => candidates.every(({ elector }) => elector.leader !== undefined), {
      describe: 'all know the leader',
    });
    await eventually(() => candidates.some(({ elector }) => elector.isLeader), { describe: 'one leads' });
    expect(candidates.filter(({ elector }) => elector.isLeader)).toHaveLength(1);
    expect((await stored()).spec?.leaseTransitions).toBe(0);
    // Being second is the usual case and nobody's problem.
    expect(candidates.flatMap(({ log }) => [...log.at('warn'), ...log.at('error')])).toEqual([]);
  });

  it('hands over at once when the leader stops, to a follower that watches the Lease', async () => {
    // With these times a follower that did not watch would not look again within this test.
    const slow = { leaseDurationMs: 600_000, renewDeadlineMs: 500_000, retryPeriodMs: 100_000 };
    const first = candidate('first', slow);
    await first.elector.start();
    const second = candidate('second', { ...slow, leases: await watchedLeases(api.client) });
    second.stand();
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
    second.stand();
    await eventually(() => second.elector.leader === 'first', { describe: 'the second follows' });
    await api.client.delete(LEASES, { namespace: api.name, name });
    await eventually(() => second.elector.isLeader, { describe: 'the second leads' });
  });

  it('releases a Lease in the form that other implementations of the protocol take over', async () => {
    const { elector } = candidate('first');
    await elector.start();
    await elector.stop(STOP_MS);
    expect((await stored()).spec).toMatchObject({ leaseDurationSeconds: 1, leaseTransitions: 0 });
    expect((await stored()).spec?.holderIdentity ?? '').toBe('');
  });

  it('leaves the Lease to run out when it may not release it', async () => {
    const { elector } = candidate('first');
    await elector.start();
    await elector.stop(STOP_MS, false);
    expect((await stored()).spec?.holderIdentity).toBe('first');
  });

  it('rejects a start that is given up before it leads, and leaves the leader alone', async () => {
    await candidate('first').elector.start();
    const { elector } = candidate('second');
    const giveUp = new AbortController();
    const started = elector.start(giveUp.signal);
    giveUp.abort();
    await expect(started).rejects.toThrow('stopped before this process led');
    await elector.stop(STOP_MS);
    expect((await stored()).spec?.holderIdentity).toBe('first');
  });

  it('is lost at once when another holds the Lease', async () => {
    const { elector, lost } = candidate('first');
    await elector.start();
    await api.client.patch(LEASES, { namespace: api.name, name }, { spec: { holderIdentity: 'usurper' } });
    await eventually(() => lost.length > 0, { describe: 'it notices' });
    expect(lost).toEqual(['usurper holds the Lease']);
    expect(elector.isLeader).toBe(false);
  });

  it('keeps leading when the Lease is deleted and nobody else wants it', async () => {
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
  it('knows by its renew deadline that it lost, before another takes over', async () => {
    const cable = new TcpCable(api.access.server);
    const client = api.connect(await cable.open());
    // Clean-up goes backwards: connections that hang would hold up the client's close.
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

  it('does not lead any more after the process stood still past its deadline, even before it was told', async () => {
    const clock = new ManualClock();
    let frozen = 0;
    // The process stands still: time passes, and no timer fires.
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
    await eventually(() => lost.length === 1, { describe: 'it is told' });
  });
});

describe('LeaderElector and the clock', () => {
  let unanswered = 0;

  /** The client, with its unanswered requests counted: each has a time-out on the clock, so none may be left behind. */
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

  /** Advances in steps, each after what the step set off has been answered: the elector waits for its next turn. */
  async function pass(clock: ManualClock, totalMs: number): Promise<void> {
    const rests = () => unanswered === 0 && clock.pendingTimers === 1;
    for (let passedMs = 0; passedMs < totalMs; passedMs += 100) {
      await eventually(rests, { describe: 'the elector rests' });
      clock.advance(100);
    }
    await eventually(rests, { describe: 'the elector rests' });
  }

  it.each([
    ['long ago', '1999-01-01T00:00:00.000000Z'],
    ['in the future', '2199-01-01T00:00:00.000000Z'],
  ])('waits a full lease duration on its own clock for a leader whose record says %s', async (_what, renewTime) => {
    await createLease({ holderIdentity: 'gone', leaseDurationSeconds: 8, renewTime, acquireTime: renewTime });
    const clock = new ManualClock();
    const { elector, stand } = candidate('first', { clock, client: countedClient() });
    stand();
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

  it('is there when the Lease of a silent leader runs out, however long it is until its next turn', async () => {
    await createLease({ holderIdentity: 'gone', leaseDurationSeconds: 8 });
    const clock = new ManualClock();
    const slow = { leaseDurationMs: 10_000, renewDeadlineMs: 9000, retryPeriodMs: 7000 };
    const { elector, stand } = candidate('first', { clock, client: countedClient(), ...slow });
    stand();
    await pass(clock, 7900);
    expect(elector.isLeader).toBe(false);
    clock.advance(100);
    await eventually(() => elector.isLeader, { describe: 'it leads' });
  });

  it('starts to wait anew whenever the record changes, whatever it says', async () => {
    await createLease({ holderIdentity: 'alive', leaseDurationSeconds: 4 });
    const clock = new ManualClock();
    const { elector, stand } = candidate('first', { clock, client: countedClient() });
    stand();
    for (let renewal = 1; renewal <= 4; renewal += 1) {
      await pass(clock, 3000);
      await api.client.patch(LEASES, { namespace: api.name, name }, { spec: { leaseTransitions: renewal } });
    }
    await pass(clock, 2000);
    expect(elector.isLeader).toBe(false);
  });
});

describe('LeaderElector and a Lease that is not its own work', () => {
  it.each<[string, NonNullable<Lease['spec']>]>([
    ['nothing', {}],
    ['only a holder, with an empty name', { holderIdentity: '' }],
    ['a transition counter at its end', { holderIdentity: '', leaseTransitions: 2_147_483_647 }],
    ['a holder without duration', { holderIdentity: 'someone' }],
    ['a holder that asks for a second', { holderIdentity: 'someone', leaseDurationSeconds: 1 }],
  ])('takes over one that holds %s', async (_what, spec) => {
    await createLease(spec);
    const { elector } = candidate('first');
    await elector.start();
    expect((await stored()).spec).toMatchObject({ holderIdentity: 'first', leaseDurationSeconds: 8 });
  });

  it('keeps labels and annotations that others put on the Lease', async () => {
    const metadata = { name, namespace: api.name, labels: { team: 'ml' } };
    await api.client.create(LEASES, { metadata, spec: {} });
    await candidate('first').elector.start();
    expect((await stored()).metadata?.labels).toEqual({ team: 'ml' });
  });
});
