import { describe, expect, it } from 'vitest';
import { ManualClock } from './clock.ts';
import { EventCorrelator, type Occurrence } from './event-correlator.ts';

const job = (name: string): Occurrence['regarding'] => ({
  apiVersion: 'kubeflow.org/v1',
  kind: 'MPIJob',
  namespace: 'ns',
  name,
  uid: `uid-${name}`,
});

function occurrence(change: Partial<Occurrence> = {}): Occurrence {
  return {
    regarding: job('a'),
    type: 'Normal',
    reason: 'PodCreated',
    action: 'Create',
    note: 'created pod a-0',
    ...change,
  };
}

function setUp() {
  const clock = new ManualClock();
  let names = 0;
  const correlator = new EventCorrelator(clock, () => `event-${(names += 1)}`);
  const observe = (change: Partial<Occurrence> = {}): string | undefined => {
    const series = correlator.observe(occurrence(change));
    return series === undefined ? undefined : `${series.name} x${series.count}`;
  };
  return { clock, correlator, observe };
}

const MINUTE_MS = 60_000;

describe('EventCorrelator series', () => {
  it('counts a repeated event in the existing one', () => {
    const { observe } = setUp();
    expect([observe(), observe(), observe()]).toEqual(['event-1 x1', 'event-1 x2', 'event-1 x3']);
  });

  it.each<[string, Partial<Occurrence>]>([
    ['another object', { regarding: job('b') }],
    ['another object of the same name', { regarding: { ...job('a'), uid: 'recreated' } }],
    ['another type', { type: 'Warning' }],
    ['another reason', { reason: 'PodDeleted' }],
    ['another action', { action: 'Replace' }],
    ['another note', { note: 'created pod a-1' }],
    ['another related object', { related: job('z') }],
  ])('creates a new event for %s', (_what, change) => {
    const { observe } = setUp();
    expect([observe(), observe(change), observe()]).toEqual(['event-1 x1', 'event-2 x1', 'event-1 x2']);
  });

  it('continues while no pause is longer than ten minutes', () => {
    const { observe, clock } = setUp();
    const seen = [observe()];
    for (const waitMs of [10 * MINUTE_MS, 10 * MINUTE_MS, 10 * MINUTE_MS + 1]) {
      clock.advance(waitMs);
      seen.push(observe());
    }
    expect(seen).toEqual(['event-1 x1', 'event-1 x2', 'event-1 x3', 'event-2 x1']);
  });

  it('keeps the first and last time', () => {
    const { correlator, clock } = setUp();
    const firstMs = clock.now();
    correlator.observe(occurrence());
    clock.advance(5000);
    expect(correlator.observe(occurrence())).toMatchObject({ firstMs, lastMs: firstMs + 5000, count: 2 });
  });
});

describe('EventCorrelator aggregation', () => {
  it('combines events from the tenth different note on, except those of existing series', () => {
    const { observe } = setUp();
    const seen = Array.from({ length: 12 }, (_, i) => observe({ note: `pod a-${i} failed` }));
    expect(seen.slice(0, 9)).toEqual(Array.from({ length: 9 }, (_, i) => `event-${i + 1} x1`));
    expect(seen.slice(9)).toEqual(['event-10 x1', 'event-10 x2', 'event-10 x3']);
    expect(observe({ note: 'pod a-3 failed' })).toBe('event-4 x2');
  });

  it('marks a combined event, with the first note', () => {
    const { correlator } = setUp();
    const last = Array.from({ length: 11 }, (_, i) => correlator.observe(occurrence({ note: `n${i}` }))).at(-1);
    expect(last?.occurrence.note).toBe('(combined from similar events): n9');
  });

  it('ends after ten minutes without events', () => {
    const { observe, clock } = setUp();
    for (let i = 0; i < 12; i += 1) observe({ note: `n${i}` });
    clock.advance(10 * MINUTE_MS + 1);
    expect(observe({ note: 'n20' })).toBe('event-11 x1');
    expect(observe({ note: 'n21' })).toBe('event-12 x1');
  });

  it('does not combine different reasons or objects', () => {
    const { observe } = setUp();
    const seen = Array.from({ length: 20 }, (_, i) => observe({ note: `n${i}`, reason: `R${i % 3}` }));
    expect(new Set(seen).size).toBe(20);
  });
});

describe('EventCorrelator budget', () => {
  it('allows 25 writes at once and then one in five minutes per object, and counts dropped events', () => {
    const { observe, clock } = setUp();
    const seen = Array.from({ length: 30 }, () => observe());
    expect(seen.filter((each) => each !== undefined)).toHaveLength(25);
    clock.advance(5 * MINUTE_MS - 1);
    expect(observe()).toBeUndefined();
    clock.advance(1);
    expect(observe()).toBe('event-1 x32');
    expect(observe()).toBeUndefined();
  });

  it('has separate budgets for other objects, and for warnings of the same one', () => {
    const { observe } = setUp();
    for (let i = 0; i < 30; i += 1) observe();
    expect(observe({ regarding: job('b') })).toBeDefined();
    expect(observe({ type: 'Warning' })).toBeDefined();
  });

  it('bounds the number of objects: those without events for longest are reset', () => {
    const { observe } = setUp();
    observe();
    for (let i = 0; i < 5000; i += 1) observe({ regarding: job(`other-${i}`) });
    expect(observe()).toBe('event-5002 x1');
  });

  it('resets only the forgotten object', () => {
    const { observe, correlator } = setUp();
    for (let i = 0; i < 30; i += 1) [job('a'), job('b')].forEach((regarding) => observe({ regarding }));
    expect(observe(), 'its budget is spent').toBeUndefined();
    correlator.forget(job('a'));
    expect(observe()).toBe('event-3 x1');
    expect(observe({ regarding: job('b') })).toBeUndefined();
  });
});
