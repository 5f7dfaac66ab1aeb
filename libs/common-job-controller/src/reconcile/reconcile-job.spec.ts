import { type ReconcileContext, Semaphore } from '@muster/controller';
import { describe, expect, it } from 'vitest';
import { plainAdapter } from '../../test-support/plain-adapter.ts';
import { JOB, NOW } from '../../test-support/plain-pod.ts';
import { SETTINGS, statusAfter, worldOf, type PlainWorld } from '../../test-support/plain-world.ts';
import { stillKind } from '../../test-support/still-caches.ts';
import { planJob } from './plan-job.ts';
import type { PlannedRun } from './plan.ts';
import { Expectations } from './expectations.ts';
import { JobMemory } from './job-memory.ts';
import type { Dependencies } from './reconcile-run.ts';
import { jobReconciler } from './reconcile-job.ts';

const KEY = `${JOB.namespace}/${JOB.name}`;
const RUNNING: PlainWorld = {
  roles: [
    { name: 'Master', replicas: 1 },
    { name: 'Worker', replicas: 2 },
  ],
  pods: [{ role: 'master' }, { index: 0 }, { index: 1 }],
};
const STATUS = statusAfter(RUNNING);

/** @param writeMs how long each write takes */
function reconciler(writeMs = 0) {
  const adapter = plainAdapter(RUNNING);
  let passedMs = 0;
  const clock = { now: () => NOW + passedMs, monotonic: () => NOW + passedMs };
  const memory = new JobMemory(clock as unknown as Dependencies['clock']);
  memory.noteStatusWritten(KEY, JOB.uid);
  const recorded: PlannedRun[] = [];
  const tools = {
    client: {
      create: (_resource: unknown, object: object) => Promise.resolve(object),
      patchStatus: (_resource: unknown, _key: unknown, patch: object) => {
        passedMs += writeMs;
        return Promise.resolve({ metadata: { resourceVersion: '9' }, ...patch });
      },
    },
    poller: { resultsOf: () => new Map(), poll: () => undefined },
    metrics: { begin: () => undefined, count: () => undefined },
    events: () => undefined,
    resource: adapter.resource,
    ...{
      clock,
      memory,
      expectations: new Expectations(clock as unknown as Dependencies['clock']),
      writes: new Semaphore(1),
    },
    record: (pass: PlannedRun) => recorded.push(pass),
    isStripped: () => false,
  };
  const context = { signal: new AbortController().signal, log: { warn: () => undefined } };
  const reconcile = async (world: PlainWorld) => {
    const { manifest, pods, services } = worldOf({ ...RUNNING, status: STATUS, ...world });
    const { caches } = stillKind(adapter, { jobs: [manifest], pods });
    const all = { ...tools, caches: { ...caches, services: { ...caches.services, byIndex: () => services } } };
    const run = jobReconciler(
      adapter,
      all as unknown as Dependencies,
      SETTINGS,
      clock as unknown as Dependencies['clock'],
    );
    const end = await run(KEY, context as unknown as ReconcileContext);
    expect(end?.error).toBeUndefined();
    return end;
  };
  return { reconcile, recorded };
}

describe('a reconcile run of an operator that records its runs', () => {
  it('passes World and plan to the recorder, and the same World gives the same plan again', async () => {
    const { reconcile, recorded } = reconciler();
    await reconcile({});
    await reconcile({ pods: [{ role: 'master' }, { index: 0 }] });
    expect(recorded.map(({ world }) => world.pods.length)).toEqual([3, 2]);
    for (const { adapter, world, settings, plan } of recorded) expect(planJob(adapter, world, settings)).toEqual(plan);
  });
});

describe('the next reconcile run', () => {
  it.each([0, 5_000, 200_000])('is due at the same time if a write takes %d ms', async (writeMs) => {
    const { reconcile } = reconciler(writeMs);
    const startTime = new Date(NOW).toISOString().replace('.000Z', 'Z');
    const status = { ...STATUS, startTime, ready: '0/3' };
    const end = await reconcile({ status, runPolicy: { activeDeadlineSeconds: 100 } });
    expect(end?.requeueAfterMs).toBe(Math.max(0, 100_000 - writeMs));
  });
});
