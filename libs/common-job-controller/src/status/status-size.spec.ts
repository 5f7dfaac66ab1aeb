/** A status must stay far below 1.5 MiB, etcd's limit for an object, and 256 KiB, the limit of annotations. */
import { ANNOTATIONS, type JobStatus } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import type { PlainPod } from '../../test-support/plain-pod.ts';
import { planOf, type PlainWorld } from '../../test-support/plain-world.ts';
import { ownStatusOf } from './own-status.ts';

const WORKERS = 30_000;
const KIB = 1024;

const all = (pod: (index: number) => PlainPod): PlainPod[] =>
  Array.from({ length: WORKERS }, (_worker, index) => ({ index, ...pod(index) }));
const statusOf = (plain: PlainWorld): JobStatus => planOf({ workers: WORKERS, ...plain }).status ?? {};
const sizesOf = (status: JobStatus) => [JSON.stringify(status).length, ownStatusOf({}, status).length];

describe('the status of a job of 30,000 replicas', () => {
  it.each<[string, (index: number) => PlainPod, restarts: number]>([
    ['restarted in place', () => ({ restarts: 1 }), WORKERS],
    ['failed', () => ({ phase: 'Failed', exit: 137 }), WORKERS],
    ['failed after a restart in place', () => ({ phase: 'Failed', exit: 137, restarts: 1 }), 2 * WORKERS],
    ['restarted in place, one to ten times', (index) => ({ restarts: 1 + Math.floor(index / 3000) }), 5.5 * WORKERS],
  ])('is below 130 KiB when all of them have %s, and each restart is counted', (_case, pod, restartCount) => {
    const status = statusOf({ pods: all(pod) });
    expect(status.restartCount).toBe(restartCount);
    for (const size of sizesOf(status)) expect(size).toBeLessThan(130 * KIB);
  });

  it('stays below it however scattered the counts are, and counts what does not fit once there is room', () => {
    const restartsOf = (index: number) => 1 + ((index * 7919) % 97);
    const scattered = all((index) => ({ restarts: restartsOf(index) }));
    const counted = statusOf({ pods: scattered });
    for (const size of sizesOf(counted)) expect(size).toBeLessThan(130 * KIB);
    expect(counted.restartCount).toBeGreaterThan(100_000);
    // The first two thirds are new pods, so there is room for the rest.
    const pods = scattered.map((pod, index) => (index < 20_000 ? { index, uid: `again-${index}` } : pod));
    const left = scattered.slice(20_000).reduce((sum, { restarts = 0 }) => sum + restarts, 0);
    let status = counted;
    for (
      let next: JobStatus | undefined = counted;
      next !== undefined;
      next = planOf({ workers: WORKERS, pods, status }).status
    )
      status = next;
    expect(status.restartCount).toBe((counted.restartCount ?? 0) + left);
  });

  it('keeps no record of a replica that runs again, because its failures are recorded on its pod', () => {
    const failed = statusOf({ pods: all(() => ({ phase: 'Failed', exit: 137 })) });
    const created = planOf({ workers: WORKERS, status: failed }).create.pods;
    expect(created).toHaveLength(WORKERS);
    expect(new Set(created.map(({ metadata }) => metadata?.annotations?.[ANNOTATIONS.failures]))).toEqual(
      new Set(['1']),
    );
    const again = statusOf({ status: failed, pods: all((index) => ({ uid: `again-${index}`, failures: 1 })) });
    expect([again.restarts, again.restartCount]).toEqual([[], WORKERS]);
  });
});
