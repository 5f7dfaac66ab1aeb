/** Rules that hold in each state of an incremental upgrade, whatever fails meanwhile. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { incrementalStep, type IncrementalSide, type IncrementalView } from './incremental-step.ts';

const health = fc.record({
  isHeadReady: fc.boolean(),
  isReady: fc.boolean(),
  hasReadyEndpoint: fc.boolean(),
});

const event = fc.record({
  goal: fc.constantFrom<IncrementalView['goal']>('Active', 'Pending', 'Pending', 'Pending', 'Other'),
  routeProblem: fc.constantFrom(undefined, undefined, 'not accepted'),
  active: health,
  pending: health,
  afterMs: fc.nat(20_000),
});

const options = fc
  .record({
    maxSurgePercent: fc.integer({ min: 1, max: 100 }),
    stepSizePercent: fc.integer({ min: 1, max: 100 }),
    intervalSeconds: fc.integer({ min: 1, max: 30 }),
  })
  .map((given) => ({ ...given, stepSizePercent: Math.min(given.stepSizePercent, given.maxSurgePercent) }));

const HEALTHY = { isHeadReady: true, isReady: true, hasReadyEndpoint: true };

const sideOf = (clusterName: string, percent: number): IncrementalSide => ({
  ...{ clusterName, exists: true, ...HEALTHY },
  ...{ targetCapacity: percent, trafficRoutedPercent: percent },
});

const startOf = (given: IncrementalView['options']): IncrementalView => ({
  options: given,
  active: sideOf('old', 100),
  pending: sideOf('new', 0),
  ...{ goal: 'Pending', wasRollingBack: false, routeProblem: undefined, nowMs: 1_000_000 },
});

const isDead = ({ isHeadReady, hasReadyEndpoint }: IncrementalSide) => !isHeadReady && !hasReadyEndpoint;

/** The states of an upgrade under these events, until it ends. */
function* statesOf(
  given: IncrementalView['options'],
  events: readonly (typeof event extends fc.Arbitrary<infer E> ? E : never)[],
) {
  let view = startOf(given);
  for (const { active, pending, afterMs, ...changes } of events) {
    const seen = {
      ...view,
      ...changes,
      active: { ...view.active, ...active },
      pending: { ...view.pending, ...pending },
    };
    const step = incrementalStep(seen);
    yield { seen, step };
    if (step.end !== undefined) return;
    view = {
      ...seen,
      active: { ...seen.active, ...step.active },
      pending: { ...seen.pending, ...step.pending },
      wasRollingBack: step.rollsBack,
      nowMs: seen.nowMs + afterMs,
    };
  }
}

describe('in each state of an incremental upgrade', () => {
  it('the traffic is 100 % in total, and a side has no more traffic than capacity', () => {
    fc.assert(
      fc.property(options, fc.array(event, { maxLength: 60 }), (given, events) => {
        for (const { step } of statesOf(given, events)) {
          const { active, pending } = step;
          expect(active.trafficRoutedPercent + pending.trafficRoutedPercent).toBe(100);
          for (const { targetCapacity, trafficRoutedPercent } of [active, pending]) {
            expect(trafficRoutedPercent).toBeLessThanOrEqual(targetCapacity);
            expect(targetCapacity).toBeGreaterThanOrEqual(0);
            expect(targetCapacity).toBeLessThanOrEqual(100);
          }
        }
      }),
    );
  });

  it('both clusters together have at least the whole capacity, and without a dead one at most the surge more', () => {
    fc.assert(
      fc.property(options, fc.array(event, { maxLength: 60 }), (given, events) => {
        let hadDead = false;
        for (const { seen, step } of statesOf(given, events)) {
          const sum = step.active.targetCapacity + step.pending.targetCapacity;
          expect(sum).toBeGreaterThanOrEqual(100);
          hadDead ||= isDead(seen.active) || isDead(seen.pending);
          if (!hadDead) expect(sum).toBeLessThanOrEqual(100 + given.maxSurgePercent);
        }
      }),
    );
  });

  it('traffic moves to a cluster only if it has a ready endpoint', () => {
    fc.assert(
      fc.property(options, fc.array(event, { maxLength: 60 }), (given, events) => {
        for (const { seen, step } of statesOf(given, events)) {
          for (const side of ['active', 'pending'] as const) {
            const isRaised = step[side].trafficRoutedPercent > seen[side].trafficRoutedPercent;
            if (isRaised) expect(seen[side].hasReadyEndpoint).toBe(true);
          }
        }
      }),
    );
  });

  it('it ends once both clusters stay healthy', () => {
    fc.assert(
      fc.property(
        options,
        fc.array(event, { maxLength: 30 }),
        fc.constantFrom<IncrementalView['goal']>('Active', 'Pending', 'Other'),
        (given, events, goal) => {
          const quiet = { goal, routeProblem: undefined, active: HEALTHY, pending: HEALTHY, afterMs: 30_000 };
          const states = [...statesOf(given, [...events, ...Array.from({ length: 700 }, () => quiet)])];
          expect(states.at(-1)?.step.end).toBeDefined();
        },
      ),
    );
  });
});
