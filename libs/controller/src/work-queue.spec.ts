import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { metricValue } from '../test-support/metric-value.ts';
import { randomNumbers } from '../test-support/random-numbers.ts';
import { ManualClock } from './clock.ts';
import { WorkQueue } from './work-queue.ts';

function setUp() {
  const clock = new ManualClock();
  const registry = new Registry();
  return { clock, registry, queue: new WorkQueue({ name: 'jobs', registry, clock }) };
}

async function drain(queue: WorkQueue): Promise<string[]> {
  const keys: string[] = [];
  for (;;) {
    const none = new AbortController();
    const taken = queue.get(none.signal);
    none.abort();
    const key = await taken;
    if (key === undefined) return keys;
    keys.push(key);
    queue.done(key);
  }
}

type Step = ['add' | 'get' | 'done', string];

describe('WorkQueue', () => {
  const cases: { rule: string; steps: Step[]; left: string[] }[] = [
    {
      rule: 'returns keys in the order of their adds',
      steps: [
        ['add', 'a'],
        ['add', 'b'],
        ['add', 'c'],
      ],
      left: ['a', 'b', 'c'],
    },
    {
      rule: 'merges repeated adds of a queued key',
      steps: [
        ['add', 'a'],
        ['add', 'b'],
        ['add', 'a'],
      ],
      left: ['a', 'b'],
    },
    {
      rule: 'does not return a key that is being processed',
      steps: [
        ['add', 'a'],
        ['get', 'a'],
        ['add', 'a'],
      ],
      left: [],
    },
    {
      rule: 'returns a key again that was added while it was processed',
      steps: [
        ['add', 'a'],
        ['get', 'a'],
        ['add', 'a'],
        ['add', 'a'],
        ['done', 'a'],
      ],
      left: ['a'],
    },
    {
      rule: 'drops a key that was not added while it was processed',
      steps: [
        ['add', 'a'],
        ['get', 'a'],
        ['done', 'a'],
      ],
      left: [],
    },
    {
      rule: 'puts a requeued key behind queued ones',
      steps: [
        ['add', 'a'],
        ['get', 'a'],
        ['add', 'b'],
        ['add', 'a'],
        ['add', 'c'],
        ['done', 'a'],
      ],
      left: ['b', 'c', 'a'],
    },
  ];
  it.each(cases)('$rule', async ({ steps, left }) => {
    const { queue } = setUp();
    for (const [verb, key] of steps) {
      if (verb === 'get') expect(await queue.get()).toBe(key);
      else queue[verb](key);
    }
    expect(await drain(queue)).toEqual(left);
  });

  it('serves waiting callers in the order in which they came', async () => {
    const { queue } = setUp();
    const first = queue.get();
    const second = queue.get();
    queue.add('a');
    queue.add('b');
    expect([await first, await second]).toEqual(['a', 'b']);
  });

  it('loses no key to a caller that aborted', async () => {
    const { queue } = setUp();
    const impatient = new AbortController();
    const givenUp = queue.get(impatient.signal);
    impatient.abort();
    queue.add('a');
    expect(await givenUp).toBeUndefined();
    expect(await queue.get()).toBe('a');
  });

  it('refuses done without get, which would let a key run twice at once', () => {
    expect(() => setUp().queue.done('a')).toThrow('call done once for each key that get returned');
  });

  it('never runs a key twice at once and never loses one, in random order of operations', async () => {
    for (let seed = 1; seed <= 60; seed += 1) await runModel(seed);
  });

  it('keeps its order over many thousand keys', async () => {
    const { queue } = setUp();
    const keys = Array.from({ length: 20_000 }, (_, i) => `k${i}`);
    for (const key of keys) queue.add(key);
    expect(await drain(queue)).toEqual(keys);
  });
});

/** Random adds (plain, delayed, rate-limited) against three workers; every add must be followed by a later get. */
async function runModel(seed: number): Promise<void> {
  const { queue, clock } = setUp();
  const random = randomNumbers(seed);
  const pick = (): string => `k${Math.floor(random() * 8)}`;
  const owed = new Map<string, number>();
  const running = new Set<string>();
  let step = 0;
  const take = async (): Promise<void> => {
    const none = new AbortController();
    const taken = queue.get(none.signal);
    none.abort();
    const key = await taken;
    if (key === undefined) return;
    expect(running.has(key), `${key} runs twice, seed ${seed} step ${step}`).toBe(false);
    running.add(key);
    owed.delete(key);
  };
  for (; step < 400; step += 1) {
    const dice = random();
    const key = pick();
    if (dice < 0.3) queue.add(key);
    else if (dice < 0.4) queue.addAfter(key, random() * 50);
    else if (dice < 0.5) queue.addRateLimited(key);
    if (dice < 0.5) owed.set(key, step);
    else if (dice < 0.7 && running.size < 3) await take();
    else if (dice < 0.9) {
      const [ended] = running;
      if (ended !== undefined && running.delete(ended)) queue.done(ended);
    } else if (dice < 0.95) clock.advance(random() * 20);
    else queue.forget(key);
  }
  clock.advance(10_000_000);
  for (const key of running) queue.done(key);
  running.clear();
  for (const key of await drain(queue)) owed.delete(key);
  expect([...owed.keys()], `lost with seed ${seed}`).toEqual([]);
  expect(queue.length).toBe(0);
  expect(clock.pendingTimers).toBe(0);
}

describe('WorkQueue delays', () => {
  it('adds a key when its delay is over, not before', async () => {
    const { queue, clock } = setUp();
    queue.addAfter('a', 100);
    clock.advance(99);
    expect(await drain(queue)).toEqual([]);
    clock.advance(1);
    expect(await drain(queue)).toEqual(['a']);
  });

  it.each([
    { delays: [100, 40], heldAtMs: [40] },
    { delays: [40, 100], heldAtMs: [40] },
  ])('keeps the earliest of the delays $delays for one key', async ({ delays, heldAtMs }) => {
    const { queue, clock } = setUp();
    for (const delay of delays) queue.addAfter('a', delay);
    const seenAtMs: number[] = [];
    for (let ms = 1; ms <= 200; ms += 1) {
      clock.advance(1);
      if ((await drain(queue)).length > 0) seenAtMs.push(ms);
    }
    expect(seenAtMs).toEqual(heldAtMs);
  });

  it('adds a key at once for a delay of zero, and for one that is not a number', async () => {
    const { queue } = setUp();
    queue.addAfter('a', 0);
    queue.addAfter('b', -5);
    queue.addAfter('c', Number.NaN);
    expect(await drain(queue)).toEqual(['a', 'b', 'c']);
  });

  it('adds a delayed key at once by a plain add, which ends the delay', async () => {
    const { queue, clock } = setUp();
    queue.addAfter('a', 100);
    queue.add('a');
    expect(await drain(queue)).toEqual(['a']);
    clock.advance(100);
    expect(await drain(queue)).toEqual([]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('keeps a delay that was added since the key was returned', async () => {
    const { queue, clock } = setUp();
    queue.add('a');
    expect(await queue.get()).toBe('a');
    queue.addAfter('a', 100);
    queue.done('a');
    clock.advance(100);
    expect(await drain(queue)).toEqual(['a']);
  });

  it('ignores changes of the wall clock', async () => {
    const { queue, clock } = setUp();
    queue.addAfter('a', 100);
    clock.setWall(0);
    clock.advance(100);
    expect(await drain(queue)).toEqual(['a']);
  });

  it('uses one timer for all delayed keys', () => {
    const { queue, clock } = setUp();
    for (let i = 0; i < 1000; i += 1) queue.addAfter(`k${i}`, 1000 - i);
    expect(clock.pendingTimers).toBe(1);
  });
});

describe('WorkQueue back-off', () => {
  it('waits 5 ms after the first failure, twice as long after each further one, at most 1000 s', async () => {
    const { queue, clock } = setUp();
    const waitsMs: number[] = [];
    for (let failure = 1; failure <= 20; failure += 1) {
      queue.addRateLimited('a');
      expect(queue.requeues('a')).toBe(failure);
      const startMs = clock.monotonic();
      const taken = queue.get();
      while (queue.length === 0 && clock.pendingTimers > 0) clock.advance(5);
      await taken;
      queue.done('a');
      waitsMs.push(clock.monotonic() - startMs);
    }
    const doubled = Array.from({ length: 18 }, (_, i) => 5 * 2 ** i);
    expect(waitsMs).toEqual([...doubled, 1_000_000, 1_000_000]);
    queue.forget('a');
    expect(queue.requeues('a')).toBe(0);
  });

  it('has a separate back-off per key, and limits all keys together to 300 retries and then 50 a second', async () => {
    const { queue, clock } = setUp();
    for (let i = 0; i < 400; i += 1) queue.addRateLimited(`k${i}`);
    clock.advance(5);
    expect(await drain(queue)).toHaveLength(300);
    clock.advance(995);
    expect(await drain(queue)).toHaveLength(50);
    clock.advance(1000);
    expect(await drain(queue)).toHaveLength(50);
  });
});

describe('WorkQueue shut-down', () => {
  it('returns queued keys, accepts no others, drops delays, and ends waiting callers', async () => {
    const { queue, clock } = setUp();
    queue.add('a');
    queue.addAfter('later', 10);
    let ended = false;
    const drained = queue.shutDown().then(() => (ended = true));
    queue.add('b');
    queue.addAfter('c', 1);
    expect(clock.pendingTimers).toBe(0);
    expect(await queue.get()).toBe('a');
    const waiting = queue.get();
    expect(ended).toBe(false);
    queue.done('a');
    expect(await waiting).toBeUndefined();
    await drained;
    expect(await queue.get()).toBeUndefined();
  });

  it('returns a key once more that changed while it was processed', async () => {
    const { queue } = setUp();
    queue.add('a');
    await queue.get();
    queue.add('a');
    const drained = queue.shutDown();
    queue.done('a');
    expect(await queue.get()).toBe('a');
    queue.done('a');
    await drained;
  });
});

describe('WorkQueue metrics', () => {
  it('reports under the names and labels of controller-runtime', async () => {
    const { queue, registry, clock } = setUp();
    const labels = { name: 'jobs', controller: 'jobs' };
    const value = (name: string, more: Record<string, string> = {}): Promise<number | undefined> =>
      metricValue(registry, name, { ...labels, ...more });
    queue.add('a');
    queue.add('b');
    queue.add('c');
    clock.advance(1500);
    await queue.get();
    clock.advance(500);
    await queue.get();
    clock.advance(1000);
    queue.addRateLimited('d');
    expect(await value('workqueue_depth', { priority: '0' })).toBe(1);
    expect(await value('workqueue_adds_total')).toBe(3);
    expect(await value('workqueue_retries_total')).toBe(1);
    expect(await value('workqueue_queue_duration_seconds_sum')).toBe(3.5);
    expect(await value('workqueue_unfinished_work_seconds')).toBe(2.5);
    expect(await value('workqueue_longest_running_processor_seconds')).toBe(1.5);
    queue.done('a');
    expect(await value('workqueue_work_duration_seconds_sum')).toBe(1.5);
    expect(await value('workqueue_queue_duration_seconds_bucket', { le: '1e-8' })).toBe(0);
    expect(await value('workqueue_queue_duration_seconds_bucket', { le: '1000' })).toBe(2);
  });

  it('supports several queues on a registry, and separate registries', async () => {
    const registry = new Registry();
    const [first, second] = ['one', 'two'].map((name) => new WorkQueue({ name, registry }));
    new WorkQueue({ name: 'one', registry: new Registry() });
    first?.add('a');
    second?.add('b');
    second?.add('c');
    expect(await metricValue(registry, 'workqueue_adds_total', { name: 'one', controller: 'one' })).toBe(1);
    expect(await metricValue(registry, 'workqueue_adds_total', { name: 'two', controller: 'two' })).toBe(2);
  });
});
