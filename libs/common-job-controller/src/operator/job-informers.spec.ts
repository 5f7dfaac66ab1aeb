import { setImmediate as nextTurn } from 'node:timers/promises';
import { ManualClock, WorkQueue } from '@muster/controller';
import type { Pod } from '@muster/job-api';
import type { CacheHandler } from '@muster/kube';
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { plainAdapter } from '../../test-support/plain-adapter.ts';
import { JOB, plainPod } from '../../test-support/plain-pod.ts';
import { stillKind } from '../../test-support/still-caches.ts';
import { Expectations } from '../reconcile/expectations.ts';
import { FAILURES_COME_WITHIN_MS } from '../model/requeue.ts';
import { enqueueOnChange } from './job-informers.ts';

const KEY = `${JOB.namespace}/${JOB.name}`;
const runs = (index: number) => plainPod({ index, phase: 'Running' });
const failed = (index: number) => plainPod({ index, phase: 'Failed', exit: 1 });

/** An operator that looks at each job as soon as it may, and the pods' changes that are played to it. */
function stage() {
  const clock = new ManualClock();
  const queue = new WorkQueue({ name: 'jobs', registry: new Registry(), clock });
  const adapter = plainAdapter({ workers: 3 });
  const kind = stillKind(adapter, { jobs: [] });
  let pods: CacheHandler<Pod> = {};
  const subscribe = (handler: CacheHandler<Pod>) => {
    pods = handler;
    return () => undefined;
  };
  enqueueOnChange(
    { ...kind, caches: { ...kind.caches, pods: { ...kind.caches.pods, subscribe } } },
    queue,
    new Expectations(clock),
  );
  const looks: number[] = [];
  const look = async () => {
    for (;;) {
      const key = await queue.get();
      expect(key).toBe(KEY);
      looks.push(clock.monotonic());
      queue.done(KEY);
    }
  };
  void look();
  /** Lets each look take place at its own moment. */
  const after = async (ms: number) => {
    await nextTurn();
    for (let passedMs = 0; passedMs < ms; passedMs++) {
      clock.advance(1);
      await nextTurn();
    }
  };
  return { pods, after, looks };
}

it('looks once at a job of which several pods fail within moments', async () => {
  const { pods, after, looks } = stage();
  for (const index of [0, 1, 2]) {
    pods.updated?.(runs(index), failed(index));
    await after(FAILURES_COME_WITHIN_MS / 5);
  }
  await after(FAILURES_COME_WITHIN_MS);
  expect(looks).toEqual([FAILURES_COME_WITHIN_MS]);
});

it.each<[string, (pods: CacheHandler<Pod>) => void]>([
  ['is made', (pods) => pods.added?.(runs(0))],
  ['runs', (pods) => pods.updated?.(plainPod({ phase: 'Pending' }), runs(0))],
  ['has succeeded', (pods) => pods.updated?.(runs(0), plainPod({ phase: 'Succeeded', exit: 0 }))],
  [
    'has failed that is being deleted',
    (pods) => pods.updated?.(runs(0), plainPod({ phase: 'Failed', exit: 1, deleted: 0 })),
  ],
  ['has failed before it was seen', (pods) => pods.added?.(failed(0))],
  ['has failed already and changes', (pods) => pods.updated?.(failed(0), failed(0))],
  ['is gone', (pods) => pods.deleted?.(failed(0))],
])('looks at once when a pod %s', async (_what, change) => {
  const { pods, after, looks } = stage();
  change(pods);
  await after(1);
  expect(looks).toEqual([0]);
});

it('does not let a failure delay what else happens to the job', async () => {
  const { pods, after, looks } = stage();
  pods.updated?.(runs(0), failed(0));
  await after(1);
  pods.deleted?.(runs(1));
  await after(1);
  expect(looks).toEqual([1]);
});
