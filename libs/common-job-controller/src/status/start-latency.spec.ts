import type { JobStatus } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { at } from '../../test-support/plain-pod.ts';
import { planOf, statusAfter, type PlainWorld } from '../../test-support/plain-world.ts';

const started: JobStatus = statusAfter({ workers: 2, now: -50 });
const there: PlainWorld = { workers: 2, pods: [{ created: -48 }, { index: 1, created: -45 }] };

describe('startLatencies', () => {
  it('measure the time until the last pod was created, and until all replicas ran', () => {
    const { status, latencies } = planOf({ ...there, status: started });
    expect(status?.allRunningTime).toBe(at(0));
    expect(latencies).toEqual([
      { stage: 'pods_created', seconds: 5 },
      { stage: 'running', seconds: 50 },
    ]);
  });

  it.each<[string, PlainWorld]>([
    ['before all replicas run', { ...there, pods: [{}, { index: 1, phase: 'Pending' }], status: started }],
    ['a second time', { ...there, status: statusAfter({ ...there, status: started }), now: 9 }],
    [
      'after a restart of a replica',
      {
        ...there,
        status: statusAfter(
          { ...there, status: started },
          { ...there, pods: [{}, { index: 1, phase: 'Failed', exit: 137 }] },
        ),
        now: 9,
      },
    ],
    [
      'the start of a job that another operator started',
      { ...there, status: { startTime: at(-50), conditions: [{ type: 'Running', status: 'True' }] } },
    ],
  ])('do not measure %s', (_case, world) => {
    expect(planOf(world).latencies).toEqual([]);
  });

  it('measure again after a suspension, from the resumption on', () => {
    const ran = statusAfter({ ...there, status: started });
    const suspended = statusAfter({ workers: 2, status: ran, runPolicy: { suspend: true }, now: 10 });
    const resumed = statusAfter({ workers: 2, status: suspended, now: 20 });
    const pods = [{ created: 21 }, { index: 1, created: 22 }];
    expect(planOf({ workers: 2, status: resumed, pods, now: 30 }).latencies).toEqual([
      { stage: 'pods_created', seconds: 2 },
      { stage: 'running', seconds: 10 },
    ]);
  });
});
