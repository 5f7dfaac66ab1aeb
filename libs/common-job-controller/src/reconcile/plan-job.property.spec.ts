/**
 * Invariants for thousands of random Worlds. A failing run prints its seed and the smallest World; `fc.assert(…, {
 * seed, path })` runs it again.
 */
import { isFinished, type JobStatus, RESTART_POLICIES } from '@muster/job-api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainAdapter } from '../../test-support/plain-adapter.ts';
import { at, JOB, plainPod, type PlainPod } from '../../test-support/plain-pod.ts';
import { namesOf, planOf, SETTINGS, statusAfter, worldOf, type PlainWorld } from '../../test-support/plain-world.ts';
import { planJob } from './plan-job.ts';
import { planned, type Planned } from '../../test-support/planned.ts';
import { markOf } from '../model/restart-records.ts';

const RUNS = { numRuns: 300 };
const seconds = fc.integer({ min: -400, max: 400 });
const time = fc.oneof({ weight: 9, arbitrary: seconds.map(at) }, fc.constantFrom('', 'never', '2030-13-45'));
const rarely = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 4 });

function known<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

const role = (name: string) =>
  fc.record({
    name: fc.constant(name),
    replicas: fc.nat(3),
    restartPolicy: fc.constantFrom(...RESTART_POLICIES),
    endsByItself: fc.boolean(),
  });
const roles = fc.tuple(role('Master'), role('Worker'), role('PS')).chain((all) => fc.subarray(all, { minLength: 1 }));

const runPolicy = fc
  .record({
    cleanPodPolicy: rarely(fc.constantFrom('', 'None', 'Running', 'All')),
    ttlSecondsAfterFinished: rarely(fc.nat(300)),
    activeDeadlineSeconds: rarely(fc.nat(300)),
    startDeadlineSeconds: rarely(fc.nat(300)),
    backoffLimit: rarely(fc.nat(3)),
    suspend: fc.constantFrom(true, false, false, false),
  })
  .map(known);

const pod: fc.Arbitrary<PlainPod> = fc
  .record({
    role: fc.constantFrom('master', 'worker', 'worker', 'ps', 'other'),
    index: fc.integer({ min: -1, max: 4 }),
    job: fc.option(fc.constant('other'), { nil: undefined, freq: 12 }),
    name: fc.option(fc.constantFrom('job-worker-0', 'job-worker-1', 'job', 'stranger'), { nil: undefined, freq: 12 }),
    phase: fc.constantFrom('Pending', 'Running', 'Running', 'Succeeded', 'Failed', 'Failed'),
    exit: fc.constantFrom(undefined, undefined, 0, 1, 137),
    ended: rarely(seconds),
    restarts: rarely(fc.nat(3)),
    failures: rarely(fc.nat(3)),
    initRestarts: rarely(fc.nat(2)),
    deleted: rarely(seconds),
    grace: fc.constantFrom(0, 30),
    created: seconds,
    uid: rarely(fc.constantFrom('uid-a', 'uid-b')),
    owner: rarely(fc.constantFrom('none' as const, { uid: 'earlier' }, { uid: 'x', name: 'y', kind: 'StatefulSet' })),
    reason: rarely(fc.constantFrom('Evicted', 'DeadlineExceeded', 'OutOfcpu')),
    disrupted: fc.constantFrom(false, false, false, true),
    ready: fc.boolean(),
    restartPolicy: fc.constantFrom('Always', 'OnFailure', 'Never'),
  })
  .map(known);

const pods = fc.uniqueArray(pod, { maxLength: 8, selector: (each) => plainPod(each).metadata?.name });

const indexes = fc.constantFrom(undefined, '0', '1', '0,2', '1-3', '0-2', 'nonsense', '4,9');
const conditions = fc
  .uniqueArray(
    fc.record({
      type: fc.constantFrom('Created', 'Running', 'Restarting', 'Suspended', 'Succeeded', 'Failed'),
      status: fc.constantFrom('True', 'False'),
      reason: fc.constantFrom('InvalidSpec', 'PlainJobRunning', 'Other'),
      message: fc.constantFrom('', 'Job job has failed because it has reached the specified backoff limit'),
      lastTransitionTime: time,
    }),
    { selector: ({ type }) => type },
  )
  .filter((list) => terminalOf({ conditions: list }).length < 2);

const restartFacts = {
  containerRestarts: rarely(fc.nat(5)),
  replaced: rarely(fc.constant(true)),
  failures: rarely(fc.nat(9)),
  lastFailureTime: rarely(time),
};
const restartGroup = fc.record({
  role: fc.constantFrom('Master', 'Worker', 'gone'),
  indexes,
  marks: rarely(fc.constantFrom('', 'abcd', 'abcdefg', markOf('uid-a') + markOf('uid-b'))),
  ...restartFacts,
});

const anyStatus: fc.Arbitrary<JobStatus> = fc
  .record({
    conditions: rarely(conditions),
    startTime: rarely(time),
    completionTime: rarely(time),
    restartCount: rarely(fc.nat(5)),
    disruptionCount: rarely(fc.nat(5)),
    observedGeneration: rarely(fc.nat(2)),
    restarts: rarely(
      fc.oneof(
        fc.uniqueArray(
          fc
            .record({
              pod: fc.constantFrom('job-master-0', 'job-worker-0', 'job-worker-1', 'job-worker-2', 'gone'),
              uid: fc.constantFrom('uid-a', 'uid-job-worker-0', 'uid-job-worker-1'),
              ...restartFacts,
            })
            .map(known),
          { selector: (record) => record.pod },
        ),
        fc.array(restartGroup.map(known), { maxLength: 4 }),
      ),
    ),
    replicaStatuses: rarely(
      fc
        .record({ active: rarely(fc.nat(3)), indexes, succeededIndexes: indexes })
        .map((worker) => ({ Worker: known(worker) })),
    ),
  })
  .map((status) =>
    status.conditions?.some(({ type }) => type === 'Restarting') ? { ...status, restartCount: 1 } : status,
  )
  .map((status) => known(status) as JobStatus);

const worldWithout = (status: fc.Arbitrary<JobStatus | undefined>): fc.Arbitrary<PlainWorld> =>
  fc
    .record({
      roles,
      runPolicy,
      pods,
      status,
      now: fc.integer({ min: 0, max: 500 }),
      generation: fc.nat(2),
      problems: fc.constantFrom([], [], [], [{ path: 'spec', message: 'is bad' }]),
      invalidObject: fc.constantFrom(undefined, undefined, undefined, { generation: 1, message: 'refused' }),
      services: fc.constantFrom([], undefined),
      annotations: fc.constantFrom({}, {}, { 'muster.dev/scale-down-pods': 'job-worker-0,job-master-0' }),
      writesSelector: fc.boolean(),
    })
    .map((world) => known(world) as PlainWorld)
    // Indexes are only recorded if there are gaps. A job with problems reads them for its size once.
    .map((plain) =>
      plain.status?.replicaStatuses?.['Worker']?.indexes === undefined ? plain : { ...plain, problems: [] },
    );

const world = fc.oneof(
  worldWithout(fc.constant(undefined)),
  worldWithout(anyStatus),
  fc
    .tuple(
      fc.array(worldWithout(fc.constant(undefined)), { minLength: 1, maxLength: 3 }),
      worldWithout(fc.constant(undefined)),
    )
    .map(([before, last]) => ({ ...last, roles: before[0]?.roles ?? [], status: statusAfter(...before) })),
);

function terminalOf({ conditions: list = [] }: JobStatus): string[] {
  return list
    .filter(({ type, status }) => (type === 'Succeeded' || type === 'Failed') && status === 'True')
    .map(({ type }) => type);
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !(value instanceof Set)) {
    for (const inner of Object.values(value)) frozen(inner);
    Object.freeze(value);
  }
  return value;
}

function keysReversed<T>(value: T): T {
  if (Array.isArray(value)) return value.map(keysReversed) as T;
  if (typeof value !== 'object' || value === null || value instanceof Set || value instanceof Map) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, inner]) => [key, keysReversed(inner as unknown)]),
  ) as T;
}

/** A plan with sorted lists of existing objects, whose order has no effect. */
function sorted(plan: Planned): unknown {
  const names = (objects: Parameters<typeof namesOf>[0]) => namesOf(objects).sort();
  return {
    ...plan,
    adopt: { pods: names(plan.adopt.pods), services: names(plan.adopt.services) },
    remove: { pods: names(plan.remove.pods), services: names(plan.remove.services) },
    release: names(plan.release),
    events: plan.events.map((event) => JSON.stringify(event)).sort(),
  };
}

function numbersIn(value: unknown): number[] {
  if (typeof value === 'number') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : [];
}

function holds(predicate: (world: PlainWorld, plan: Planned) => void): void {
  fc.assert(
    fc.property(world, (plain) => predicate(plain, planOf(plain))),
    RUNS,
  );
}

describe('planJob for any World', () => {
  it('writes a status that it would not write again, and counts nothing twice', () => {
    holds((plain, plan) => {
      if (plan.status === undefined) return;
      const again = planOf({ ...plain, status: plan.status });
      expect([again.status, again.counters]).toEqual([undefined, []]);
    });
  });

  it('does not fail a suspended job because of its spec', () => {
    const status = { startTime: '2030-01-01T12:00:00Z', observedGeneration: 1, state: 'Created' as const };
    const plain: PlainWorld = { runPolicy: { suspend: true }, problems: [{ path: 'spec', message: 'is bad' }], status };
    const { status: suspended } = planOf(plain);
    expect(suspended?.state).toBe('Suspended');
    expect(planOf({ ...plain, ...(suspended && { status: suspended }) }).status).toBeUndefined();
  });

  it('has a cause for each restart that it counts', () => {
    holds((_plain, { counters, restartCauses }) => {
      expect(restartCauses).toHaveLength(counters.filter((name) => name === 'restarted').length);
    });
  });

  it('creates no pod twice, and none whose name is in use', () => {
    holds((plain, { create }) => {
      const made = namesOf(create.pods);
      const held = namesOf(plain.pods?.map(plainPod) ?? []);
      expect(made.filter((name) => held.includes(name))).toEqual([]);
      expect(new Set(made).size).toBe(made.length);
    });
  });

  it('deletes, once, only objects that the job controls and that are not being deleted', () => {
    holds((_plain, { remove }) => {
      expect(new Set(namesOf(remove.pods)).size).toBe(remove.pods.length);
      for (const { metadata } of remove.pods) {
        expect(metadata?.deletionTimestamp).toBeUndefined();
        expect(metadata?.ownerReferences).toMatchObject([{ uid: JOB.uid }]);
      }
    });
  });

  it('reports at most one end, with its time', () => {
    holds((plain, { status = plain.status ?? {} }) => {
      expect(terminalOf(status).length).toBeLessThan(2);
    });
    holds((_plain, { status }) => {
      if (status !== undefined) expect(status.completionTime !== undefined).toBe(isFinished(status));
    });
  });

  it('does not undo an end, except InvalidSpec', () => {
    holds((plain, { status }) => {
      const before = plain.status ?? {};
      const failed = before.conditions?.find(({ type }) => type === 'Failed');
      if (!isFinished(before) || failed?.reason === 'InvalidSpec' || status === undefined) return;
      // A job ended by another operator gets Muster's fields, and keeps its end.
      expect([before.state, terminalOf(status)]).toEqual([undefined, terminalOf(before)]);
    });
  });

  it('creates nothing for a finished or suspended job', () => {
    holds((plain, { status = plain.status ?? {}, create, adopt }) => {
      if (isFinished(status) || plain.runPolicy?.suspend === true)
        expect([create.pods, create.services, adopt.pods, adopt.services].flat()).toEqual([]);
    });
  });

  it('has no negative count and does not decrease the restarts', () => {
    holds((plain, { status }) => {
      if (status === undefined) return;
      expect(numbersIn(status).filter((count) => !(count >= 0))).toEqual([]);
      expect(status.restartCount ?? 0).toBeGreaterThanOrEqual(plain.status?.restartCount ?? 0);
      expect(status.disruptionCount ?? 0).toBeGreaterThanOrEqual(plain.status?.disruptionCount ?? 0);
    });
  });

  it("requeues after a time within the timer's maximum, or not at all", () => {
    holds((_plain, { requeueAfterMs }) => {
      expect(requeueAfterMs === undefined || (Number.isFinite(requeueAfterMs) && requeueAfterMs >= 0)).toBe(true);
    });
  });

  it('plans the same for the same World, independently of the order of pods and keys', () => {
    fc.assert(
      fc.property(world, fc.infiniteStream(fc.nat()), (plain, order) => {
        const adapter = plainAdapter(plain);
        const one = worldOf(plain);
        const ranks = new Map(one.pods.map((each) => [each, order.next().value]));
        const other = keysReversed({
          ...one,
          pods: one.pods.toSorted((a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0)),
        });
        const plan = sorted(planned(planJob(adapter, one, SETTINGS)));
        expect(sorted(planned(planJob(adapter, one, SETTINGS)))).toEqual(plan);
        expect(sorted(planned(planJob(adapter, other, SETTINGS)))).toEqual(plan);
      }),
      RUNS,
    );
  });

  it('does not change the World', () => {
    fc.assert(
      fc.property(world, (plain) => {
        planJob(plainAdapter(plain), frozen(worldOf(plain)), SETTINGS);
      }),
      RUNS,
    );
  });
});
