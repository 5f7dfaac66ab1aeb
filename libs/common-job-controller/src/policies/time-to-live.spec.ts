import type { JobStatus, RunPolicy } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { at, NOW } from '../../test-support/plain-pod.ts';
import { planOf, statusAfter } from '../../test-support/plain-world.ts';
import { writesOf } from '../model/write.ts';
import { planTimeToLive } from './time-to-live.ts';

const DELETE = { deleteJob: true, requeueAfterMs: undefined };
const KEEP = { deleteJob: false, requeueAfterMs: undefined };
const lookAgainAfter = (requeueAfterMs: number) => ({ deleteJob: false, requeueAfterMs });
const ended = (type: 'Succeeded' | 'Failed', lastTransitionTime: string): JobStatus => ({
  conditions: [
    { type: 'Created', status: 'True', lastTransitionTime: at(-9999) },
    { type, status: 'True', lastTransitionTime },
  ],
});

function lifeOf(...job: Parameters<typeof planTimeToLive>) {
  const life = planTimeToLive(...job);
  return { deleteJob: writesOf(life, 'deleteJob').length > 0, requeueAfterMs: life.requeueAfterMs };
}

describe('planTimeToLive', () => {
  it.each<[string, number | undefined, JobStatus, ReturnType<typeof lifeOf>]>([
    ['keeps a job without a time to live', undefined, { completionTime: at(-9999) }, KEEP],
    ['requeues the job for the end of its time to live', 60, { completionTime: at(-20) }, lookAgainAfter(40_000)],
    ['deletes the job from that second on', 60, { completionTime: at(-60) }, DELETE],
    ['deletes the job even if that time was missed', 60, { completionTime: at(-86_400) }, DELETE],
    ['deletes the job at once with a time to live of 0', 0, { completionTime: at(0) }, DELETE],
    ["waits longer than a timer's maximum", 1e8, { completionTime: at(0) }, lookAgainAfter(1e11)],
    ['waits longer when the clock was set back', 60, { completionTime: at(30) }, lookAgainAfter(90_000)],
    [
      'uses the time of the condition if completionTime is missing',
      60,
      ended('Failed', at(-20)),
      lookAgainAfter(40_000),
    ],
    ['uses the time of the condition for succeeded jobs, too', 60, ended('Succeeded', at(-60)), DELETE],
    [
      'prefers completionTime to the condition',
      60,
      { ...ended('Failed', at(-99)), completionTime: at(0) },
      lookAgainAfter(60_000),
    ],
    ['keeps a job whose end is unknown', 60, {}, KEEP],
    ['keeps a job with an invalid completionTime without requeueing it', 60, { completionTime: 'yesterday' }, KEEP],
  ])('%s', (_case, ttlSecondsAfterFinished, status, expected) => {
    const runPolicy = ttlSecondsAfterFinished === undefined ? {} : { ttlSecondsAfterFinished };
    expect(lifeOf({ runPolicy, status }, NOW)).toEqual(expected);
  });

  it('keeps a job whose time to live is not a number, since its spec is invalid', () => {
    const runPolicy = JSON.parse('{"ttlSecondsAfterFinished": "1h"}') as Partial<RunPolicy>;
    expect(lifeOf({ runPolicy, status: { completionTime: at(-9999) } }, NOW)).toEqual(KEEP);
  });
});

describe('planJob: time to live', () => {
  const runPolicy = { ttlSecondsAfterFinished: 60 };
  const status = statusAfter({ runPolicy, pods: [{ phase: 'Succeeded' }], now: -20 });

  it.each([
    ['a running job', { runPolicy, pods: [{}] }, KEEP],
    ['a succeeded job', { runPolicy, status }, lookAgainAfter(40_000)],
    ['a job whose time to live is over', { runPolicy, status, now: 40 }, DELETE],
    ['a finished job that is suspended', { runPolicy: { ...runPolicy, suspend: true }, status, now: 40 }, DELETE],
    [
      'a job that has just failed, whose status write triggers the next run',
      { runPolicy, pods: [{ phase: 'Failed', exit: 1 } as const] },
      KEEP,
    ],
  ])('is applied to %s', (_case, world, expected) => {
    const { deleteJob, requeueAfterMs } = planOf(world);
    expect({ deleteJob, requeueAfterMs }).toEqual(expected);
  });
});
