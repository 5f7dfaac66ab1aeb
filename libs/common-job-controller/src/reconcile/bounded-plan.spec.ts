import { describe, expect, it } from 'vitest';
import { plainAdapter } from '../../test-support/plain-adapter.ts';
import { namesOf, plainService, SETTINGS, worldOf, type PlainWorld } from '../../test-support/plain-world.ts';
import { objectsOf } from './objects-of.ts';
import { planJob } from './plan-job.ts';
import { planned } from '../../test-support/planned.ts';

const bounded = (plain: PlainWorld, writesPerRun?: number) =>
  planned(
    planJob(plainAdapter(plain), worldOf(plain), {
      ...SETTINGS,
      ...(writesPerRun !== undefined && { writesPerRun }),
    }),
  );

const workers = (count: number) => Array.from({ length: count }, (_worker, index) => ({ index }));

describe('boundedPlan', () => {
  it('creates as many pods as the limit, and requeues the job at once', () => {
    const { create, requeueAfterMs } = bounded({ workers: 10 }, 4);
    expect(namesOf(create.pods)).toEqual(['job-worker-0', 'job-worker-1', 'job-worker-2', 'job-worker-3']);
    expect(requeueAfterMs).toBe(0);
  });

  it('continues where the last run stopped', () => {
    const { create } = bounded({ workers: 10, pods: workers(4) }, 4);
    expect(namesOf(create.pods)).toEqual(['job-worker-4', 'job-worker-5', 'job-worker-6', 'job-worker-7']);
  });

  it('does not change a plan within the limit', () => {
    expect(bounded({ workers: 4 }, 4)).toEqual(bounded({ workers: 4 }));
    expect(bounded({ workers: 4 }, 4).requeueAfterMs).toBeUndefined();
  });

  it.each<[string, PlainWorld]>([
    ['of a suspended job', { workers: 10, pods: workers(10), runPolicy: { suspend: true }, services: [] }],
    ['of a role that shrinks', { workers: 1, pods: workers(10) }],
    [
      'of a finished job',
      { workers: 10, pods: workers(10), runPolicy: { cleanPodPolicy: 'All', activeDeadlineSeconds: 0 } },
    ],
  ])('deletes as many pods as the limit: %s', (_case, plain) => {
    const { remove, requeueAfterMs } = bounded(plain, 4);
    expect([remove.pods.length, requeueAfterMs]).toEqual([4, 0]);
  });

  it('counts deletions before creations, and Services together with pods', () => {
    const failed = workers(3).map((pod) => ({ ...pod, phase: 'Failed', exit: 137 }) as const);
    const both = bounded({ workers: 10, pods: failed, services: [] }, 5);
    expect([both.remove.pods.length, both.create.services.length, both.create.pods.length]).toEqual([3, 1, 1]);
    const gone = bounded({ workers: 1, runPolicy: { suspend: true }, pods: workers(3), services: [plainService()] }, 3);
    expect([gone.remove.pods.length, gone.remove.services.length, gone.requeueAfterMs]).toEqual([3, 0, 0]);
  });

  it("does not limit the preview of a manifest's objects", () => {
    const { manifest } = worldOf({});
    expect(objectsOf(plainAdapter({ workers: 600 }), manifest, SETTINGS)).toHaveLength(601);
  });
});
