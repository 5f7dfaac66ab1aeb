import { describe, expect, it } from 'vitest';
import { plainAdapter } from '../../test-support/plain-adapter.ts';
import { SETTINGS, worldOf, type PlainWorld } from '../../test-support/plain-world.ts';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { JobManifest } from '../model/training-job.ts';
import { planJob } from '../reconcile/plan-job.ts';
import { writesOf } from '../model/write.ts';

/** The other controller starts a job by setting a phase. */
const OTHER = {
  name: 'The other controller',
  switchOff: 'switch it off',
  hasBegun: ({ status }: JobManifest) => (status as { phase?: string } | undefined)?.phase !== undefined,
  headStartMs: 3000,
};

const plain = plainAdapter({});
const adapter: FrameworkAdapter = { ...plain, lifecycle: { ...plain.lifecycle, otherController: OTHER } };

function planAt(seconds: number, plainWorld: PlainWorld = {}, status?: object, seenForMs = 0) {
  const world = { ...worldOf({ ...plainWorld, now: seconds }), seenForMs };
  const { manifest } = world;
  const metadata = { ...manifest.metadata, creationTimestamp: '2030-01-01T12:00:00Z' };
  return planJob(adapter, { ...world, manifest: { ...manifest, metadata, ...(status && { status }) } }, SETTINGS);
}

describe('beside another controller of the kind', () => {
  describe.each([-300, 0, 300])('by a clock that is %d s ahead of the one of the API server', (seconds) => {
    it.each<[seenForMs: number, requeueAfterMs: number]>([
      [0, 3000],
      [2000, 1000],
    ])('a new job that was seen for %d ms is left to the other controller for %d ms', (seen, requeueAfterMs) => {
      expect(planAt(seconds, {}, undefined, seen)).toMatchObject({ events: [], writes: [], requeueAfterMs });
    });

    it.each([3000, 60_000])('an unstarted job is started when it was seen for %d ms', (seen) => {
      expect(planAt(seconds, {}, undefined, seen).status).toBeDefined();
    });
  });

  it('a job that the other controller has started is left to it, which is reported once', () => {
    const { status, events, writes, requeueAfterMs } = planAt(60, {}, { phase: 'Pending' });
    expect([status, writes, requeueAfterMs]).toEqual([undefined, [], undefined]);
    expect(events).toMatchObject([{ type: 'Warning', reason: 'ManagedByOther', dedupKey: 'ManagedByOther' }]);
    expect(events[0]?.note).toContain('The other controller has started');
    expect(planAt(60, { emittedEvents: ['ManagedByOther'] }, { phase: 'Pending' }).events).toEqual([]);
  });

  it('a job that Muster has started continues', () => {
    const status = { conditions: [], startTime: '2030-01-01T12:00:00Z' };
    expect(writesOf(planAt(1, { status }), 'create').length).toBeGreaterThan(0);
  });
});
