import { type ReconcileContext, Semaphore } from '@muster/controller';
import type { Pod } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { plainAdapter } from '../../test-support/plain-adapter.ts';
import { JOB, NOW, plainPod } from '../../test-support/plain-pod.ts';
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

interface ReconcilerOptions {
  /** How long each write takes. */
  readonly writeMs?: number;
  readonly plain?: PlainWorld;
  /** Whether this process has led before. */
  readonly isNew?: boolean;
  /** The pods of the API server. */
  readonly stored?: readonly Pod[];
}

function reconciler({ writeMs = 0, plain = RUNNING, isNew = false, stored = [] }: ReconcilerOptions = {}) {
  const adapter = plainAdapter(plain);
  const created: string[] = [];
  const selectors: unknown[] = [];
  let passedMs = 0;
  const clock = { now: () => NOW + passedMs, monotonic: () => NOW + passedMs };
  const memory = new JobMemory(clock as unknown as Dependencies['clock']);
  if (!isNew) memory.noteStatusWritten(KEY, JOB.uid);
  const recorded: PlannedRun[] = [];
  const dependencies = {
    client: {
      create: (_resource: unknown, object: Pod) => {
        created.push(object.metadata?.name ?? '');
        return Promise.resolve(object);
      },
      list: (_resource: unknown, { labelSelector }: { labelSelector?: string }) => {
        selectors.push(labelSelector);
        return Promise.resolve({ items: stored });
      },
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
    const { manifest, pods, services } = worldOf({ ...plain, status: STATUS, ...world });
    const { caches } = stillKind(adapter, { jobs: [manifest], pods });
    const all = { ...dependencies, caches: { ...caches, services: { ...caches.services, byIndex: () => services } } };
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
  return { reconcile, recorded, created, selectors };
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
    const { reconcile } = reconciler({ writeMs });
    const startTime = new Date(NOW).toISOString().replace('.000Z', 'Z');
    const status = { ...STATUS, startTime, ready: '0/3' };
    const end = await reconcile({ status, runPolicy: { activeDeadlineSeconds: 100 } });
    expect(end?.requeueAfterMs).toBe(Math.max(0, 100_000 - writeMs));
  });
});

describe('the first run of a new leader that creates pods with unique names', () => {
  const roles = [
    { name: 'Worker', replicas: 2, identity: { kind: 'UniqueNames', prefix: 'job-worker', overlap: true } },
  ] as const;
  const plain: PlainWorld = { roles, pods: [{ index: 0 }] };
  const assigned = { replicaStatuses: { Worker: { indexes: '0-1', nextOrdinal: 2 } } };
  const [first, second] = [0, 1].map((index) => plainPod({ index, uid: `pod-${index}` }));
  const world = { pods: [{ index: 0, uid: 'pod-0' }] };

  it('waits until the cache has the pods that the leader before has created', async () => {
    const { reconcile, created, selectors } = reconciler({ plain, isNew: true, stored: [first!, second!] });
    expect(await reconcile({ ...world, status: assigned })).toEqual({ requeueAfterMs: 2000 });
    expect(created).toEqual([]);
    expect(selectors).toHaveLength(1);
  });

  it('creates pods if the cache has all that exist', async () => {
    const { reconcile, created } = reconciler({ plain, isNew: true, stored: [first!] });
    await reconcile({ ...world, status: assigned });
    expect(created).toEqual([expect.stringContaining('worker-2')]);
  });

  it('reads no pods if no name was assigned before, or by this process', async () => {
    const [newJob, sameLeader] = [reconciler({ plain, isNew: true }), reconciler({ plain })];
    await newJob.reconcile({ pods: [], status: {} });
    await sameLeader.reconcile({ ...world, status: assigned });
    expect([...newJob.created, ...sameLeader.created]).toHaveLength(3);
    expect([...newJob.selectors, ...sameLeader.selectors]).toEqual([]);
  });
});
