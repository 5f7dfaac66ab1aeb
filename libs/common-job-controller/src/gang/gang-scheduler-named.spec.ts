import { describe, expect, it } from 'vitest';
import { gangSchedulerNamed } from './gang-scheduler-named.ts';

describe('gangSchedulerNamed', () => {
  it.each([
    { flag: '', gives: undefined },
    { flag: 'volcano', gives: { name: 'volcano', schedulerName: 'volcano' } },
    { flag: 'Volcano', gives: { name: 'volcano', schedulerName: 'volcano' } },
    { flag: 'kubernetes', gives: { name: 'kubernetes', schedulerName: undefined } },
    { flag: 'YuniKorn', gives: { name: 'yunikorn', schedulerName: 'yunikorn' } },
    { flag: 'kai-scheduler', gives: { name: 'kai-scheduler', schedulerName: 'kai-scheduler' } },
    { flag: 'My-Scheduler', gives: { name: 'scheduler-plugins', schedulerName: 'My-Scheduler' } },
  ])('parses $flag like kubeflow/training-operator', ({ flag, gives }) => {
    const gang = gangSchedulerNamed(flag);
    expect(gang && { name: gang.name, schedulerName: gang.schedulerName }).toEqual(gives);
  });
});
