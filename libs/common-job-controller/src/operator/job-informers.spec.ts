import { setImmediate as nextTurn } from 'node:timers/promises';
import { ManualClock, WorkQueue } from '@muster/controller';
import type { KubeObject, Pod } from '@muster/job-api';
import type { Cache, CacheHandler } from '@muster/kube';
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { plainAdapter } from '../../test-support/plain-adapter.ts';
import { JOB, plainPod, type PlainPod } from '../../test-support/plain-pod.ts';
import { stillKind } from '../../test-support/still-caches.ts';
import type { OwnedKind } from '../model/owned-resources.ts';
import type { JobManifest } from '../model/training-job.ts';
import { ENDPOINT_SLICE_KIND } from '../network/endpoint-slices.ts';
import { WORKLOAD_KIND } from '../queueing/kueue-objects.ts';
import { Expectations } from '../reconcile/expectations.ts';
import { JobMemory } from '../reconcile/job-memory.ts';
import { BATCH_PERIOD_MS, FAILURE_PERIOD_MS, ownedDelayMs, OWN_WRITE_PERIOD_MS } from './reconcile-pace.ts';
import { enqueueOnChange } from './job-informers.ts';

const KEY = `${JOB.namespace}/${JOB.name}`;
const runs = (index: number) => plainPod({ index, phase: 'Running' });
const pending = (index: number) => plainPod({ index, phase: 'Pending' });
const succeeded = (index: number) => plainPod({ index, phase: 'Succeeded', exit: 0 });
const failed = (index: number) => plainPod({ index, phase: 'Failed', exit: 1 });

interface Played {
  readonly all?: readonly Pod[];
  readonly job?: JobManifest;
}

function operator({ all = [], job }: Played = {}) {
  const clock = new ManualClock();
  const queue = new WorkQueue({ name: 'jobs', registry: new Registry(), clock });
  const adapter = plainAdapter({ workers: 3 });
  const kind = stillKind(adapter, { jobs: job === undefined ? [] : [job], pods: all });
  const expectations = new Expectations(clock);
  const memory = new JobMemory(clock);
  const podHandlers: CacheHandler<Pod>[] = [];
  const jobHandlers: CacheHandler<JobManifest>[] = [];
  const { caches } = kind;
  const cacheOf = <T extends KubeObject>(cache: Cache<T>, take: (handler: CacheHandler<T>) => void) => ({
    ...cache,
    subscribe: (handler: CacheHandler<T>) => {
      take(handler);
      return () => undefined;
    },
  });
  const played = {
    ...caches,
    pods: cacheOf(caches.pods, (handler) => podHandlers.push(handler)),
    jobs: cacheOf(caches.jobs, (handler) => jobHandlers.push(handler)),
  };
  enqueueOnChange({ ...kind, caches: played }, queue, { expectations, memory });
  const looks: number[] = [];
  const look = async () => {
    for (;;) {
      const key = (await queue.get()) ?? '';
      if (key === KEY) looks.push(clock.monotonic());
      queue.done(key);
    }
  };
  void look();
  const after = async (ms: number) => {
    await nextTurn();
    for (let passedMs = 0; passedMs < ms; passedMs++) {
      clock.advance(1);
      await nextTurn();
    }
  };
  const [pods, jobs] = [toAll(podHandlers), toAll(jobHandlers)];
  return { pods, jobs, expectations, memory, after, looks };
}

function toAll<T extends KubeObject>(handlers: readonly CacheHandler<T>[]): CacheHandler<T> {
  return {
    added: (object) => handlers.forEach((each) => each.added?.(object)),
    updated: (before, object) => handlers.forEach((each) => each.updated?.(before, object)),
    deleted: (object) => handlers.forEach((each) => each.deleted?.(object)),
  };
}

it('reconciles a job once when several of its pods fail at about the same time', async () => {
  const { pods, after, looks } = operator();
  for (const index of [0, 1, 2]) {
    pods.updated?.(runs(index), failed(index));
    await after(FAILURE_PERIOD_MS / 5);
  }
  await after(FAILURE_PERIOD_MS);
  expect(looks).toEqual([FAILURE_PERIOD_MS]);
});

it('reconciles a job once when several of its pods start within a period, and at once when the last one has started', async () => {
  const { pods, after, looks } = operator({ all: [runs(0), runs(1), pending(2)] });
  pods.updated?.(pending(0), runs(0));
  await after(BATCH_PERIOD_MS / 4);
  pods.updated?.(pending(1), runs(1));
  await after(BATCH_PERIOD_MS);
  expect(looks).toEqual([BATCH_PERIOD_MS]);
  const last = operator({ all: [runs(0), runs(1), runs(2)] });
  last.pods.updated?.(pending(2), runs(2));
  await last.after(1);
  expect(last.looks).toEqual([0]);
});

it.each<[string, (pods: CacheHandler<Pod>) => void]>([
  ['without an owner appears', (pods) => pods.added?.(plainPod({ index: 0, phase: 'Pending', owner: 'none' }))],
  ['already runs when it appears', (pods) => pods.added?.(runs(0))],
  [
    'is the only one of its role and succeeds',
    (pods) => pods.updated?.(plainPod({ role: 'master' }), plainPod({ role: 'master', phase: 'Succeeded', exit: 0 })),
  ],
  [
    'fails while it is being deleted',
    (pods) => pods.updated?.(runs(0), plainPod({ phase: 'Failed', exit: 1, deleted: 0 })),
  ],
  ['is deleted', (pods) => pods.updated?.(runs(1), plainPod({ index: 1, phase: 'Running', deleted: 0 }))],
  [
    'gets the label of another job',
    (pods) => pods.updated?.(runs(1), plainPod({ index: 1, phase: 'Running', job: 'other' })),
  ],
  ['is gone', (pods) => pods.deleted?.(failed(0))],
])('reconciles at once when a pod %s', async (_what, change) => {
  const { pods, after, looks } = operator({ all: [runs(0), runs(1), pending(2)] });
  change(pods);
  await after(1);
  expect(looks[0]).toBe(0);
});

it.each<[string, number, (pods: CacheHandler<Pod>) => void]>([
  ['was just created', BATCH_PERIOD_MS, (pods) => pods.added?.(pending(2))],
  ['starts while others have not started', BATCH_PERIOD_MS, (pods) => pods.updated?.(pending(0), runs(0))],
  ['changes in another way', BATCH_PERIOD_MS, (pods) => pods.updated?.(failed(0), failed(0))],
  ['succeeds while others of its role run', BATCH_PERIOD_MS, (pods) => pods.updated?.(runs(1), succeeded(1))],
  ['fails', FAILURE_PERIOD_MS, (pods) => pods.updated?.(runs(0), failed(0))],
  [
    'has a restarted container',
    FAILURE_PERIOD_MS,
    (pods) => pods.updated?.(runs(1), plainPod({ index: 1, phase: 'Running', restarts: 1 })),
  ],
])('reconciles later when a pod %s', async (_what, delayMs, change) => {
  const { pods, after, looks } = operator({ all: [runs(0), runs(1), pending(2)] });
  change(pods);
  await after(delayMs + 1);
  expect(looks).toEqual([delayMs]);
});

describe('a pod with a sidecar, which still runs after its main container', () => {
  const masterOf = (pod: PlainPod) => plainPod({ role: 'master', phase: 'Running', ...pod });
  const [before, after] = [masterOf({}), masterOf({ exit: 0 })];

  it('is reconciled at once when its main container succeeds as the last of its role', async () => {
    const played = operator({ all: [after, runs(0)] });
    played.pods.updated?.(before, after);
    await played.after(1);
    expect(played.looks).toEqual([0]);
  });

  it('is reconciled soon when a container restarts after another has succeeded', async () => {
    const restarted = masterOf({ exit: 0, sidecarExit: 1 });
    const played = operator({ all: [restarted] });
    played.pods.updated?.(after, restarted);
    await played.after(FAILURE_PERIOD_MS + 1);
    expect(played.looks).toEqual([FAILURE_PERIOD_MS]);
  });
});

it('batches all pod changes of a job with hundreds of pods', async () => {
  const { pods, after, looks } = operator({ all: Array.from({ length: 300 }, (_pod, index) => runs(index)) });
  pods.deleted?.(failed(0));
  pods.updated?.(runs(1), failed(1));
  await after(1001);
  expect(looks).toEqual([1000]);
});

it('does not delay other changes of a job because of a failed pod', async () => {
  const { pods, after, looks } = operator();
  pods.updated?.(runs(0), failed(0));
  await after(1);
  pods.deleted?.(runs(1));
  await after(1);
  expect(looks).toEqual([1]);
});

it('reconciles as soon as the caches show the writes for which a run was deferred', async () => {
  const { pods, expectations, after, looks } = operator({ all: [pending(0)] });
  let isSeen = false;
  expectations.expect(KEY, JOB.uid, { uid: 'pod', isMet: () => isSeen });
  expect(expectations.remainingMs(KEY, JOB.uid)).toBeGreaterThan(0);
  isSeen = true;
  pods.added?.(pending(0));
  await after(1);
  expect(looks).toEqual([0]);
});

describe('a pod that was deleted', () => {
  const running: JobManifest = { metadata: { ...JOB }, status: {} };
  const ended: JobManifest = { ...running, status: { conditions: [{ type: 'Failed', status: 'True' }] } };
  const deleted = plainPod({ index: 1, phase: 'Running', deleted: 0 });

  it.each<[string, JobManifest | undefined, Pod, number]>([
    ['is recorded with its job', running, deleted, 1],
    ['is recorded if it had succeeded, since its success may not be in the status yet', running, succeeded(1), 1],
    ['is not recorded if it was not deleted through the API', running, runs(1), 0],
    ['is not recorded once its job has ended', ended, deleted, 0],
    ['is not recorded without its job', undefined, deleted, 0],
  ])('%s', (_what, job, pod, count) => {
    const { pods, memory } = operator({ ...(job && { job }) });
    pods.deleted?.(pod);
    expect(memory.recall(KEY, JOB.uid).deletedPods).toHaveLength(count);
  });
});

describe('a job that changes', () => {
  const job = (metadata: object, status: object = {}): JobManifest => ({
    metadata: { ...JOB, generation: 1, resourceVersion: '1', ...metadata },
    status,
  });
  const condition = (type: string) => ({ conditions: [{ type, status: 'True' }] });

  it.each<[string, JobManifest]>([
    ['its spec', job({ generation: 2 })],
    ['a label', job({ labels: { team: 'a' } })],
    ['its deletion', job({ deletionTimestamp: '2030-01-01T00:00:00Z' })],
    ['a condition', job({ resourceVersion: '2' }, condition('Restarting'))],
  ])('is reconciled at once for a change of %s', async (_what, after) => {
    const played = operator();
    played.jobs.updated?.(job({}), after);
    await played.after(1);
    expect(played.looks).toEqual([0]);
  });

  it.each<[string, object]>([
    ['the counts in its status', { ready: '1/3' }],
    ['the condition Created', condition('Created')],
    ['the condition Running', condition('Running')],
  ])('is reconciled later for a change of %s, which Muster has written', async (_what, status) => {
    const played = operator();
    played.jobs.updated?.(job({}), job({ resourceVersion: '2' }, status));
    await played.after(OWN_WRITE_PERIOD_MS + 1);
    expect(played.looks).toEqual([OWN_WRITE_PERIOD_MS]);
  });
});

describe('an object that a job owns', () => {
  const owned = (metadata: object, status: object = {}): KubeObject & { status: object } => ({
    metadata: { name: 'workers', uid: 'u', resourceVersion: '1', generation: 1, ...metadata },
    status,
  });

  it.each<[string, KubeObject | undefined, KubeObject, number]>([
    ['appears', undefined, owned({}), 0],
    ['changes its spec', owned({}), owned({ generation: 2 }), 0],
    ['is being deleted', owned({}), owned({ deletionTimestamp: '2030-01-01T00:00:00Z' }), 0],
    ['changes its state', owned({}, { phase: 'Pending' }), owned({}, { phase: 'Running' }), 0],
    ['loses its conditions', owned({}, { conditions: [{ type: 'Complete' }] }), owned({}, { succeeded: 1 }), 0],
    ['changes only counts', owned({}, { ready: 1 }), owned({ resourceVersion: '2' }, { ready: 2 }), BATCH_PERIOD_MS],
    ['gets its first count', owned({}, {}), owned({ resourceVersion: '2' }, { ready: 2 }), BATCH_PERIOD_MS],
  ])('that %s delays the run of the job by its kind of change', (_what, before, after, delayMs) => {
    expect(ownedDelayMs(WORKLOAD_KIND as OwnedKind, before, after)).toBe(delayMs);
  });

  it('that is an EndpointSlice, which Muster writes, delays it longer', () => {
    expect(ownedDelayMs(ENDPOINT_SLICE_KIND as OwnedKind, owned({}, {}), owned({}, {}))).toBe(OWN_WRITE_PERIOD_MS);
  });
});
