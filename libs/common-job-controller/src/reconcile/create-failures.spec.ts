import type { JobStatus } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { conditionsOf, namesOf, planOf, statusAfter, type PlainWorld } from '../../test-support/plain-world.ts';
import { createRetryMs } from './create-failures.ts';
import type { CreateFailure } from './world.ts';

const QUOTA: CreateFailure = {
  kind: 'Pod',
  reason: 'FailedCreate',
  message: 'pods "job-worker-0" is forbidden: exceeded quota: few, used: pods=3',
  isOptional: false,
  generation: 1,
  waitMs: 8000,
};
const job: PlainWorld = { workers: 2, runPolicy: { activeDeadlineSeconds: 5 } };
const refused = statusAfter({ ...job, createFailures: [QUOTA] });
const failureOf = ({ conditions = [] }: JobStatus) => conditions.find(({ type }) => type === 'ReplicaFailure');

describe('planJob: objects that cannot be made for now', () => {
  it('are told in a condition that changes no state, and waited for no longer than to the deadline', () => {
    const plan = planOf({ ...job, createFailures: [QUOTA] });
    expect(conditionsOf(refused)).toEqual(['ReplicaFailure=True', 'Created=True']);
    expect(failureOf(refused)).toMatchObject({ reason: 'FailedCreate', message: QUOTA.message });
    expect(refused.state).toBe('Created');
    expect([plan.create.pods, plan.requeueAfterMs, plan.lacks.kinds]).toEqual([[], 5000, ['Pod']]);
  });

  it.each<[string, Partial<PlainWorld>, readonly string[]]>([
    ['while they wait', { createFailures: [QUOTA] }, []],
    ['while they are tried again', { createFailures: [{ ...QUOTA, waitMs: 0 }] }, ['job-worker-0', 'job-worker-1']],
    [
      'when only the count in the answer is another',
      { createFailures: [{ ...QUOTA, message: QUOTA.message.replace('3', '4') }] },
      [],
    ],
    ['when the operator was restarted', {}, ['job-worker-0', 'job-worker-1']],
  ])('leave the status as it is %s', (_when, world, pods) => {
    const plan = planOf({ ...job, status: refused, ...world });
    expect([plan.status, namesOf(plan.create.pods)]).toEqual([undefined, pods]);
  });

  it('are tried at once when the job was changed', () => {
    const plan = planOf({ ...job, status: refused, generation: 2, createFailures: [QUOTA] });
    expect(namesOf(plan.create.pods)).toEqual(['job-worker-0', 'job-worker-1']);
  });

  it.each<[string, PlainWorld, readonly string[]]>([
    [
      'nothing is missing',
      { pods: [{ phase: 'Pending' }, { index: 1, phase: 'Pending' }], createFailures: [QUOTA] },
      ['Created=True'],
    ],
    ['the job has ended', { now: 5, createFailures: [QUOTA] }, ['Created=True', 'Failed=True']],
    [
      'the job is suspended',
      { runPolicy: { suspend: true }, createFailures: [QUOTA] },
      ['Created=True', 'Suspended=True'],
    ],
    [
      'the spec turns out to be invalid',
      { problems: [{ path: 'spec', message: 'no' }] },
      ['Created=True', 'Failed=True'],
    ],
  ])('are told no longer when %s', (_when, world, conditions) => {
    const { status = {}, lacks } = planOf({ ...job, status: refused, ...world });
    expect([conditionsOf(status), lacks.kinds]).toEqual([conditions, []]);
  });

  it('stand before what has happened since', () => {
    const running = statusAfter({
      ...job,
      status: refused,
      pods: [{ index: 0, phase: 'Running' }],
      createFailures: [QUOTA],
    });
    expect(conditionsOf(running)).toEqual(['ReplicaFailure=True', 'Created=True', 'Running=True']);
    expect(running.state).toBe('Running');
  });

  it('hold nothing else back where the job can run without them', () => {
    const plan = planOf({ ...job, createFailures: [{ ...QUOTA, kind: 'HorizontalPodAutoscaler', isOptional: true }] });
    expect(namesOf(plan.create.pods)).toEqual(['job-worker-0', 'job-worker-1']);
  });

  it('are told with whose they are, where others hold a name', () => {
    const takenPods = new Map([['job-worker-1', 'Pod job-worker-1 exists already']]);
    const plan = planOf({ ...job, takenPods });
    expect(failureOf(plan.status ?? {})).toMatchObject({
      reason: 'NameTaken',
      message: 'Pod job-worker-1 exists already',
    });
    expect(namesOf(plan.create.pods)).toEqual(['job-worker-0']);
  });

  it('are tried again after seconds, then twice a minute, and after five minutes every three', () => {
    expect([1, 2, 3, 4, 5, 9].map((failures) => createRetryMs(failures, 0))).toEqual([
      2000, 4000, 8000, 16_000, 30_000, 30_000,
    ]);
    expect(createRetryMs(12, 300_000)).toBe(180_000);
  });
});
