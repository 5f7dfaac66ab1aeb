import { describe, expect, it } from 'vitest';
import { NO_RULES, role, trainingJob } from '../../test-support/training-job.ts';
import { gangSchedulerNamed } from './gang-scheduler-named.ts';
import { unmetPolicy } from './unmet-policy.ts';

const POLICY = {
  minAvailable: 1,
  queue: 'research',
  minResources: { cpu: '1' },
  priorityClass: 'high',
  scheduleTimeoutSeconds: 60,
};

const unmet = (name: string, schedulingPolicy = POLICY, kind = 'PyTorchJob') => {
  const gang = gangSchedulerNamed(name);
  return gang && unmetPolicy(gang, trainingJob([role('Worker', 1)], { schedulingPolicy, kind }), NO_RULES);
};

describe('unmetPolicy', () => {
  it.each([
    ['volcano', 'scheduleTimeoutSeconds'],
    ['mine', 'queue and priorityClass'],
    ['yunikorn', 'minResources and priorityClass'],
    ['kai-scheduler', 'minResources and scheduleTimeoutSeconds'],
  ])('reports fields that %s ignores', (name, fields) => {
    expect(unmet(name)?.[0]).toContain(` ignores ${fields}, `);
  });

  it('reports nothing if all fields are supported', () => {
    const { minAvailable } = POLICY;
    for (const name of ['volcano', 'mine', 'kubernetes', 'yunikorn', 'kai-scheduler'])
      expect(unmet(name, { minAvailable } as typeof POLICY)).toEqual([]);
  });

  it('also reports what the scheduler does differently', () => {
    expect(unmet('kai-scheduler', POLICY, 'MXJob')).toHaveLength(2);
  });
});
