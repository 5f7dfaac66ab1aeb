import { MANAGED_BY_MULTIKUEUE } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { planOf } from '../../test-support/plain-world.ts';

const failurePolicy = { rules: [] };
const NOTE =
  'spec.runPolicy.failurePolicy: MultiKueue does not copy this field, so the job runs without it in the worker cluster';

describe('a job that MultiKueue runs in another cluster', () => {
  const managedBy = MANAGED_BY_MULTIKUEUE;

  it('is told of the fields of Muster that do not reach that cluster, and else left alone', () => {
    const plan = planOf({ runPolicy: { managedBy, failurePolicy, progressDeadlineSeconds: 60 } });
    expect(plan.events).toMatchObject([
      { type: 'Warning', reason: 'SpecWarning', note: NOTE },
      { type: 'Warning', reason: 'SpecWarning', note: expect.stringContaining('progressDeadlineSeconds') as string },
    ]);
    expect([plan.status, plan.create.pods, plan.create.services]).toEqual([undefined, [], []]);
  });

  it('is told of each field once', () => {
    expect(planOf({ runPolicy: { managedBy, failurePolicy }, told: [NOTE] }).events).toEqual([]);
  });

  it.each([
    ['sets none of them', { managedBy }],
    ['is run by another controller', { managedBy: 'example.com/other', failurePolicy }],
  ])('is told nothing where it %s', (_name, runPolicy) => {
    expect(planOf({ runPolicy }).events).toEqual([]);
  });
});
