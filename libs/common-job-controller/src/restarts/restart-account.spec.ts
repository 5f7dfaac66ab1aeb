import type { JobStatus } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { plainAdapter } from '../../test-support/plain-adapter.ts';
import { at, NOW, plainPod, type PlainPod } from '../../test-support/plain-pod.ts';
import { jobOf, type PlainWorld } from '../../test-support/plain-world.ts';
import { jobReplicas } from '../replicas/job-replicas.ts';
import { restartAccount } from './restart-account.ts';
import { markOf } from '../model/restart-records.ts';

const OOM = { phase: 'Failed', exit: 137 } as const;
const WELL = { phase: 'Succeeded', exit: 0, ended: -5 } as const;
const REFUSED = { phase: 'Failed', exit: undefined, reason: 'OutOfcpu' } as const;
const LOST = { phase: 'Failed', exit: undefined, reason: 'NodeLost', started: -600 } as const;
const ended = (uid: string): PlainPod => ({ ...OOM, uid });

function accountOf(world: PlainWorld) {
  const job = jobOf(world);
  const replicas = jobReplicas(plainAdapter(world), job, world.pods?.map(plainPod) ?? []);
  return restartAccount(job, replicas, NOW + (world.now ?? 0) * 1000);
}

function counted(world: PlainWorld): JobStatus {
  const { restartCount, disruptionCount, restarts } = accountOf(world);
  return { restartCount, disruptionCount, restarts };
}

describe('restartAccount', () => {
  it.each<[string, PlainPod, restarts: number, disruptions: number]>([
    ['a failed pod that its restart policy restarts', OOM, 1, 0],
    ['no failed pod that its restart policy does not restart', { phase: 'Failed', exit: 1 }, 0, 0],
    ['a failed pod without an exit code', { phase: 'Failed' }, 1, 0],
    ['a disrupted pod separately', { phase: 'Failed', exit: 1, disrupted: true }, 0, 1],
    ['a pod rejected by its node separately', { phase: 'Failed', reason: 'OutOfcpu' }, 0, 1],
    ['a pod evicted for its own use of disk', { phase: 'Failed', reason: 'Evicted', exit: 137 }, 1, 0],
    ['no pod that is being deleted', { ...OOM, deleted: -1 }, 0, 0],
    ['a pod that the cluster deletes separately', { deleted: -1, disrupted: true }, 0, 1],
    ['no pod that succeeded before the cluster deleted it', { ...WELL, deleted: -1, grace: 0, disrupted: true }, 0, 0],
    ['no running pod', {}, 0, 0],
    ['each restart in place', { restarts: 2, initRestarts: 1 }, 3, 0],
    ['no restarts of sidecars', { sidecarRestarts: 7 }, 0, 0],
    ['restarts in place and the failure after them', { ...OOM, restarts: 2 }, 3, 0],
  ])('counts %s, once', (_case, pod, restartCount, disruptionCount) => {
    const once = counted({ pods: [pod] });
    expect(once).toMatchObject({ restartCount, disruptionCount });
    const again = accountOf({ pods: [pod], status: once, now: 3600 });
    expect(again).toMatchObject(once);
    expect(again.pending.every(({ isNew }) => !isNew)).toBe(true);
  });

  it.each<[string, (string | undefined)[], number]>([
    ['two pods of one replica', ['a', 'b'], 2],
    ['one pod seen repeatedly', ['a', 'a', 'a'], 1],
    ['one pod, then none, then the next', ['a', undefined, 'b'], 2],
    ['three pods in a row', ['a', 'b', 'c'], 3],
  ])('counts by the UID of the pod: %s', (_case, uids, restartCount) => {
    const status = uids.reduce<JobStatus>(
      (before, uid) => counted({ status: before, pods: uid === undefined ? [] : [ended(uid)] }),
      {},
    );
    expect(status.restartCount).toBe(restartCount);
  });

  it('counts new container restarts in the same pod and in the next one', () => {
    const pods = (restarts: number, uid: string): PlainPod[] => [{ restarts, uid }];
    const counts: number[] = [];
    [pods(2, 'a'), pods(5, 'a'), pods(4, 'a'), pods(6, 'a'), pods(1, 'b')].reduce<JobStatus>((before, now) => {
      const status = counted({ status: before, pods: now });
      counts.push(status.restartCount ?? 0);
      return status;
    }, {});
    // A kubelet whose count is reset lowers nothing, and repeated restarts are not counted twice.
    expect(counts).toEqual([2, 5, 5, 6, 7]);
  });

  it('counts all replicas, and records only those that failed', () => {
    const pods: PlainPod[] = [{ index: 0 }, { index: 1, ...OOM }, { index: 2, restarts: 2 }];
    const { restartCount, restarts } = accountOf({ workers: 4, pods });
    expect(restartCount).toBe(3);
    expect(restarts).toMatchObject([
      { role: 'Worker', indexes: '1', replaced: true, failures: 1 },
      { role: 'Worker', indexes: '2', containerRestarts: 2 },
    ]);
  });

  it('does not count a failure twice when a role shrinks and grows again before the pod is gone', () => {
    const pods: PlainPod[] = [{ index: 0 }, { index: 1, restarts: 3, deleted: -1 }];
    const smaller = counted({ workers: 1, pods, status: counted({ workers: 2, pods }) });
    expect(accountOf({ workers: 2, pods, status: smaller }).restartCount).toBe(3);
    expect(counted({ workers: 1, pods: [{ index: 0 }], status: smaller }).restarts).toEqual([]);
  });

  it('keeps a record until another pod of the replica runs', () => {
    const failed = counted({ pods: [{ ...OOM, uid: 'a' }] });
    const after = (pod: PlainPod | undefined) => counted({ status: failed, pods: pod ? [pod] : [] }).restarts;
    expect(after(undefined)).toEqual(failed.restarts);
    expect(after({ uid: 'b', failures: 1, phase: 'Pending' })).toEqual(failed.restarts);
    expect(after({ uid: 'b', failures: 1 })).toEqual([]);
    // The pod predates the annotation with the failure count.
    expect(after({ uid: 'b' })).toEqual(failed.restarts);
  });

  it('continues from a legacy status without groups', () => {
    const restarts = [
      { pod: 'job-worker-0', uid: 'uid-job-worker-0', replaced: true, failures: 2, lastFailureTime: at(-4) },
      { pod: 'job-worker-1', uid: 'uid-job-worker-1', containerRestarts: 2 },
      { pod: 'job-worker-2', uid: 'uid-of-before', replaced: true, failures: 1 },
      { pod: 'another', uid: 'uid' },
    ];
    const pods: PlainPod[] = [OOM, { index: 1, restarts: 3 }, { index: 2, ...OOM }];
    const status = { restartCount: 5, restarts };
    const account = accountOf({ workers: 3, pods, status });
    expect(account.restartCount).toBe(7);
    expect(account.pending.map(({ failures, dueMs }) => [failures, (dueMs - NOW) / 1000])).toEqual([
      [2, 6],
      [2, 10],
    ]);
    expect(account.restarts.map(({ indexes, failures }) => [indexes, failures])).toEqual([
      ['0', 2],
      ['1', undefined],
      ['2', 2],
    ]);
    expect(counted({ workers: 3, pods, status: counted({ workers: 3, pods, status }) })).toEqual({
      restartCount: 7,
      disruptionCount: 0,
      restarts: account.restarts,
    });
  });

  it('adopts the count of a job that another operator started', () => {
    expect(accountOf({ pods: [OOM], status: { restartCount: 7 } }).restartCount).toBe(8);
  });
});

describe('restartAccount: when a failed replica is recreated', () => {
  function waitOf(...pods: PlainPod[]): number {
    const uids = pods.map((pod, i) => ({ ...OOM, uid: `uid-${i}`, ...pod }));
    const status = uids.slice(0, -1).reduce<JobStatus>((before, pod) => counted({ status: before, pods: [pod] }), {});
    const [last] = accountOf({ status, pods: uids.slice(-1) }).pending;
    return ((last?.dueMs ?? NaN) - NOW) / 1000;
  }

  it.each<[string, PlainPod[], number]>([
    ['at once after the first failure', [{}], 0],
    ['after 10 s after the second in a row', [{}, {}], 10],
    ['after 20 s after the third', [{}, {}, {}], 20],
    ['after 5 min at most', Array.from({ length: 30 }, () => ({})), 300],
    ['at once after its container has run for ten minutes', [{}, {}, {}, { started: -600 }], 0],
    ['after 40 s when its pod waited for a node for ten minutes', [{}, {}, {}, { created: -700, started: -1 }], 40],
    ['after 40 s when its container never started', [{}, {}, {}, { created: -700 }], 40],
    ['after 40 s when a long ended container ran for a second', [{}, {}, {}, { started: -700, ended: -699 }], 40],
    ['at once when a container that ran for ten minutes is lost', [{}, {}, {}, LOST], 0],
    ['at once after the first disruption', [{ disrupted: true }], 0],
    ['after 10 s when it is disrupted again', [{ disrupted: true }, { disrupted: true }], 10],
    ['after 20 s when nodes refuse it three times', [REFUSED, REFUSED, REFUSED], 20],
    ['after 20 s after three ends of any kind', [{}, { disrupted: true }, {}], 20],
    ["after the delay for the failures in its pod's annotation", [{ failures: 2 }], 20],
    ["at once where its pod's annotation is not a count", [{ failures: -3 }], 0],
  ])('happens %s', (_case, pods, seconds) => {
    expect(waitOf(...pods)).toBe(seconds);
  });

  const twice = counted({ pods: [ended('b')], status: counted({ pods: [ended('a')] }) });
  const last = (lastFailureTime: string): JobStatus => ({
    ...twice,
    restarts: (twice.restarts ?? []).map((record) => ({ ...record, lastFailureTime })),
  });
  const dueIn = (status: JobStatus) =>
    (accountOf({ status, pods: [ended('b')], now: 0 }).pending[0]?.dueMs ?? NaN) - NOW;

  it.each([
    ['stays the same in later runs', at(-4), 6000],
    ['is over if its time was missed', at(-400), -390_000],
    ['is now if the clock was set back', at(3600), 0],
    ['is now if the recorded time is invalid', 'noon', 0],
  ])('the due time %s', (_case, lastFailureTime, dueMs) => {
    expect(dueIn(last(lastFailureTime))).toBe(dueMs);
  });
});

describe('restartAccount where the status has no room', () => {
  /** Each of these needs its own group in the status, which has room for about half of them. */
  const WORKERS = 2000;
  const LAST = WORKERS - 1;
  const scattered = (last: PlainPod, others = (index: number): PlainPod => ({ restarts: index + 1 })) =>
    Array.from({ length: WORKERS }, (_worker, index) => ({ index, ...(index === LAST ? last : others(index)) }));
  const failed: PlainPod = { ...OOM, restarts: 1 };
  const full: PlainWorld = { workers: WORKERS, pods: scattered(failed) };
  const indexesOf = ({ pending }: ReturnType<typeof accountOf>) => pending.map(({ replica: { index } }) => index);

  it('does not recreate a failed pod until there is room to count it', () => {
    const account = accountOf(full);
    expect(indexesOf(account)).toEqual([]);
    expect(JSON.stringify(account.restarts).length).toBeLessThan(128 * 1024);
    const [first, last] = [account.records.has('Worker 0'), account.records.has(`Worker ${LAST}`)];
    expect([first, last]).toEqual([true, false]);
    const pods = scattered(failed, (index) => ({ uid: `again-${index}` }));
    const next = accountOf({ workers: WORKERS, pods, status: counted(full) });
    expect([indexesOf(next), next.restartCount]).toEqual([[LAST], account.restartCount + 2]);
  });

  it('counts as many as fit and the rest later, each once', () => {
    const whole = scattered({ restarts: WORKERS }).reduce((sum, { restarts = 0 }: PlainPod) => sum + restarts, 0);
    const pods = scattered({ restarts: WORKERS });
    const once = counted({ workers: WORKERS, pods });
    expect(once.restartCount).toBeGreaterThan(0);
    const counts = (once.restarts ?? []).reduce((sum, { containerRestarts = 0 }) => sum + containerRestarts, 0);
    expect(once.restartCount).toBe(counts);
    const begun = scattered({ restarts: WORKERS }, (index) =>
      index < (once.restarts ?? []).length ? { uid: `again-${index}` } : { restarts: index + 1 },
    );
    let status = once;
    for (let pass = 0; pass < 3; pass++) status = counted({ workers: WORKERS, pods: begun, status });
    expect(status.restartCount).toBe(whole);
  });

  it('keeps existing records even if they exceed the room', () => {
    const pods = scattered({ restarts: WORKERS });
    const restarts = pods.map(({ index, restarts: containerRestarts = 0 }) => {
      const marks = markOf(`uid-job-worker-${index}`);
      return { role: 'Worker', indexes: String(index), marks, containerRestarts };
    });
    const account = accountOf({ workers: WORKERS, pods, status: { restarts, restartCount: 7 } });
    expect([account.restarts.length, account.restartCount]).toEqual([WORKERS, 7]);
  });

  it('fills the room in a few runs, whatever is already recorded', () => {
    const pods = scattered({ restarts: WORKERS });
    let status: JobStatus = {};
    for (let pass = 0; pass < 5; pass++) status = counted({ workers: WORKERS, pods, status });
    const size = JSON.stringify(status.restarts).length / 1024;
    expect([size > 120, size <= 128]).toEqual([true, true]);
  });

  it('recreates a failed pod that is already recorded', () => {
    const restarts = [
      { role: 'Worker', indexes: String(LAST), marks: markOf(`uid-job-worker-${LAST}`), replaced: true, failures: 1 },
    ];
    const account = accountOf({ ...full, status: { restarts } });
    expect(indexesOf(account)).toEqual([LAST]);
    expect(account.records.get(`Worker ${LAST}`)?.containerRestarts).toBeUndefined();
  });
});
