import { JobMemory } from '@muster/common-job-controller';
import {
  at,
  JOB,
  NOW,
  plainAdapter,
  plainPod,
  type PlainPod,
  SETTINGS,
  stillKind,
} from '@muster/common-job-controller/testing';
import { ManualClock } from '@muster/controller';
import type { JobStatus } from '@muster/job-api';
import { KubeError } from '@muster/kube';
import { describe, expect, it } from 'vitest';
import { shadowReconciler } from './shadow-job.ts';
import { ShadowLedger } from './shadow-ledger.ts';
import { ShadowRecords } from './shadow-record.ts';

const SETTLE_MS = 10_000;
const KEY = `${JOB.namespace}/${JOB.name}`;
const running = {
  startTime: at(0),
  conditions: [
    { type: 'Created', status: 'True', reason: 'PlainJobCreated', message: 'PlainJob job is created.' },
    { type: 'Running', status: 'True', reason: 'PlainJobRunning', message: 'runs' },
  ],
  replicaStatuses: { Worker: { active: 1 } },
} as const satisfies JobStatus;
const ended = (type: 'Succeeded' | 'Failed') => ({
  ...running,
  conditions: [...running.conditions, { type, status: 'True', reason: `PlainJob${type}`, message: 'done' }],
  completionTime: at(9),
});

/** The other operator's objects change between runs. */
class Shadow {
  readonly #clock = new ManualClock(NOW);
  readonly #adapter = plainAdapter({});
  readonly #memory = new JobMemory(this.#clock);
  readonly #records = new ShadowRecords();
  readonly ledger = new ShadowLedger('PlainJob');
  #version = 0;

  async run(status: object, pods: readonly PlainPod[], waitMs = SETTLE_MS): Promise<void> {
    const metadata = { ...JOB, generation: 1, resourceVersion: String(++this.#version), creationTimestamp: at(0) };
    const manifest = { apiVersion: 'test.muster.dev/v1', kind: 'PlainJob', metadata, spec: {}, status };
    const { caches } = stillKind(this.#adapter, { jobs: [manifest], pods: pods.map(plainPod) });
    const missing = () => Promise.reject(new KubeError('not found', { code: 404, reason: 'NotFound' }));
    const tools = {
      ...{ clock: this.#clock, memory: this.#memory, records: this.#records, ledger: this.ledger, caches },
      ...{ client: { get: missing }, settleMs: SETTLE_MS, withDefaults: <T>(job: T) => job },
    };
    const reconcile = shadowReconciler(this.#adapter, tools, SETTINGS);
    const context = { signal: new AbortController().signal, reconcileID: '', log: console };
    await reconcile(KEY, context);
    this.#clock.advance(waitMs);
    await reconcile(KEY, context);
  }

  ends(before: PlainPod, after: PlainPod): void {
    this.#records.noteChange(KEY, plainPod(before), plainPod(after));
  }

  get differences(): string[] {
    const { unknown, documented } = this.ledger.report();
    return [...unknown.map(({ field }) => field), ...documented.map(({ row }) => row)];
  }
}

const pod: PlainPod = { phase: 'Running', uid: 'first' };
const succeeded: PlainPod = { phase: 'Succeeded', exit: 0, uid: 'first' };

describe('a run in shadow mode', () => {
  it('compares a job only when nothing has changed for the settle time', async () => {
    const shadow = new Shadow();
    await shadow.run(running, [pod], SETTLE_MS - 1);
    expect(shadow.ledger.classes()).toMatchObject({ waiting: 1 });
    await shadow.run(running, [pod]);
    expect(shadow.ledger.classes()).toMatchObject({ waiting: 0 });
  });

  it('does not compare a job that the other operator has not begun', async () => {
    const shadow = new Shadow();
    await shadow.run({}, []);
    expect(shadow.ledger.classes()).toMatchObject({ waiting: 1 });
  });

  it('decides the end by itself: a job that only the other operator has ended differs in its end alone', async () => {
    const shadow = new Shadow();
    await shadow.run(running, [pod]);
    await shadow.run(ended('Failed'), [pod]);
    expect(shadow.ledger.report().unknown).toEqual([
      { namespace: JOB.namespace, job: JOB.name, field: 'end', theirs: 'Failed', ours: 'Running' },
    ]);
  });

  it('counts a pod that ended and was deleted between two runs', async () => {
    const shadow = new Shadow();
    await shadow.run(running, [pod]);
    shadow.ends(pod, succeeded);
    await shadow.run(ended('Succeeded'), []);
    expect(shadow.differences).not.toContain('end');
    expect(shadow.differences).toContain('every-kind: fields that only Muster writes');
  });

  it('knows by how much later the other operator creates the first pod and sets a condition', async () => {
    const shadow = new Shadow();
    await shadow.run({}, []);
    const [first, second] = running.conditions;
    const conditions = [
      { ...first, lastTransitionTime: at(0) },
      { ...second, lastTransitionTime: at(25) },
    ];
    await shadow.run({ ...running, conditions }, [{ ...pod, created: 6 }]);
    expect(shadow.ledger.report().times).toEqual([
      { step: 'create Pod', jobsByLaterSeconds: { 6: 1 } },
      { step: 'Running', jobsByLaterSeconds: { 15: 1 } },
    ]);
  });

  it('names a pod that the other operator lacks', async () => {
    const shadow = new Shadow();
    await shadow.run(running, []);
    expect(shadow.differences).toContain('create Pod');
  });
});
