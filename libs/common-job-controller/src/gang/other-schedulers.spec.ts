import { describe, expect, it } from 'vitest';
import { podSpec, role, trainingJob } from '../../test-support/training-job.ts';
import { otherSchedulers } from './other-schedulers.ts';
import { KUBERNETES } from './kubernetes.ts';
import { VOLCANO } from './volcano.ts';

const named = (schedulerName: string) => podSpec({}, { schedulerName });

describe('otherSchedulers', () => {
  it('names the roles with another scheduler', () => {
    const job = trainingJob([role('Master', 1, named('volcano')), role('Worker', 2, named('default-scheduler'))]);
    expect(otherSchedulers(VOLCANO, job)).toMatch(/other than volcano\. It is kept.*: Worker \(default-scheduler\)$/);
  });

  it('requires one scheduler for all roles if any scheduler is possible', () => {
    const of = (...names: string[]) => trainingJob(names.map((name, at) => role(`Role${at}`, 1, named(name))));
    expect(otherSchedulers(KUBERNETES, of('mine', 'mine'))).toBeUndefined();
    expect(otherSchedulers(KUBERNETES, of('', 'default-scheduler'))).toBeUndefined();
    expect(otherSchedulers(KUBERNETES, of('', 'mine'))).toMatch(/several schedulers, default-scheduler and mine/);
  });

  it('is undefined if no role names a scheduler, or all name the gang scheduler', () => {
    const job = trainingJob([role('Master', 1), role('Worker', 2, named('volcano')), role('PS', 1, named(''))]);
    expect(otherSchedulers(VOLCANO, job)).toBeUndefined();
  });
});
