import type { ReconcileContext } from '@muster/controller';
import { describe, expect, it } from 'vitest';
import { plainAdapter } from '../../test-support/plain-adapter.ts';
import { JOB, NOW } from '../../test-support/plain-pod.ts';
import { SETTINGS, statusAfter, worldOf, type PlainWorld } from '../../test-support/plain-world.ts';
import { stillKind } from '../../test-support/still-caches.ts';
import type { JobManifest } from '../model/training-job.ts';
import { lineOf, type PlannedPass } from '../recording/pass-record.ts';
import { Replay } from '../recording/replay.ts';
import { Expectations } from './expectations.ts';
import { JobMemory } from './job-memory.ts';
import type { Tools } from './pass.ts';
import { jobReconciler } from './reconcile-job.ts';
import { Semaphore } from './semaphore.ts';

const KEY = `${JOB.namespace}/${JOB.name}`;
const RUNNING: PlainWorld = {
  roles: [
    { name: 'Master', replicas: 1 },
    { name: 'Worker', replicas: 2 },
  ],
  pods: [{ role: 'master' }, { index: 0 }, { index: 1 }],
};
const STATUS = statusAfter(RUNNING);

/** A reconciler that wrote STATUS half a second ago, and the names of what it creates. */
function reconciler() {
  const adapter = plainAdapter(RUNNING);
  const clock = { now: () => NOW, monotonic: () => NOW };
  const memory = new JobMemory(clock as unknown as Tools['clock']);
  memory.noteStatusWritten(KEY, JOB.uid, false);
  const created: string[] = [];
  const recorded: PlannedPass[] = [];
  const tools = {
    client: {
      create: (_resource: unknown, object: { metadata: { name: string } }) => {
        created.push(object.metadata.name);
        return Promise.resolve(object);
      },
      patchStatus: (_resource: unknown, _key: unknown, patch: object) =>
        Promise.resolve({ metadata: { resourceVersion: '9' }, ...patch }),
    },
    facts: { recall: () => new Map(), refresh: () => undefined },
    metrics: { begin: () => undefined, count: () => undefined },
    events: () => undefined,
    resource: adapter.resource,
    ...{ clock, memory, expectations: new Expectations(clock as unknown as Tools['clock']), writes: new Semaphore(1) },
    record: (pass: PlannedPass) => recorded.push(pass),
    isStripped: () => false,
    recordIn: ({ status }: JobManifest) => status ?? {},
  };
  const context = { signal: new AbortController().signal, log: { warn: () => undefined } };
  const reconcile = async (world: PlainWorld, change: (job: JobManifest) => JobManifest = (job) => job) => {
    const { manifest, pods, services } = worldOf({ ...RUNNING, status: STATUS, ...world });
    const { caches } = stillKind(adapter, { jobs: [change(manifest)], pods });
    const all = { ...tools, caches: { ...caches, services: { ...caches.services, byIndex: () => services } } };
    const run = jobReconciler(adapter, all as unknown as Tools, SETTINGS, clock as unknown as Tools['clock']);
    const end = await run(KEY, context as unknown as ReconcileContext);
    expect(end?.error).toBeUndefined();
  };
  return { reconcile, created, recorded };
}

const changed = ({ metadata, ...job }: JobManifest, change: object, more: object = {}): JobManifest => ({
  ...{ ...job, ...more },
  metadata: { ...metadata, resourceVersion: '2', ...change },
});

const FOREIGN = { type: 'Checked', status: 'True', reason: 'Checked', message: '' };

describe('a replica that has succeeded, and whose pod is deleted before the status is written', () => {
  const succeeded: PlainWorld = {
    pods: [{ role: 'master' }, { index: 0 }, { index: 1, phase: 'Succeeded', exit: 0 }],
  };
  const gone: PlainWorld = { pods: [{ role: 'master' }, { index: 0 }] };

  it.each<[string, (job: JobManifest) => JobManifest]>([
    ['a label', (job) => changed(job, { labels: { team: 'a' } })],
    ['an annotation', (job) => changed(job, { annotations: { 'example.com/note': 'x' } })],
    ['a finalizer', (job) => changed(job, { finalizers: ['example.com/held'] })],
    ['a later generation', (job) => changed(job, { generation: 2 })],
    [
      "another controller's condition",
      (job) => changed(job, {}, { status: { ...STATUS, conditions: [...STATUS.conditions!, FOREIGN] } }),
    ],
  ])('is not run again when the job gets %s meanwhile', async (_name, change) => {
    const { reconcile, created } = reconciler();
    await reconcile(succeeded);
    await reconcile(gone, change);
    expect(created).toEqual([]);
  });

  it('is run again when the job has been suspended and resumed since', async () => {
    const { reconcile, created } = reconciler();
    await reconcile(succeeded);
    const resumed = { ...STATUS, replicaStatuses: {}, ready: '0/3' };
    await reconcile(gone, (job) => changed(job, {}, { status: resumed }));
    expect(created).toEqual([`${JOB.name}-worker-1`]);
  });
});

describe('a reconcile run of an operator that records its passes', () => {
  it('gives the recorder what was planned, so that its replay is the same', async () => {
    const { reconcile, recorded } = reconciler();
    await reconcile({});
    await reconcile({ pods: [{ role: 'master' }, { index: 0 }] });
    expect(recorded.map(({ world }) => world.pods.length)).toEqual([3, 2]);
    const replay = new Replay(() => plainAdapter(RUNNING));
    for (const pass of recorded) replay.add(lineOf(pass), 'recorded');
    expect([replay.passes, replay.groups, replay.unreadable.size]).toEqual([2, [], 0]);
  });
});
