import type { RayClusterSpec, RayWorkerGroupSpec } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { groupSizeProblems } from './group-size-problems.ts';

const template = { spec: { containers: [{ name: 'ray', image: 'example.com/ray:2.60' }] } };

const withGroup = (group: Partial<RayWorkerGroupSpec>): RayClusterSpec => ({
  headGroupSpec: { template },
  workerGroupSpecs: [{ groupName: 'small', template, ...group }],
});

describe('the size of a worker group', () => {
  it.each<[string, Partial<RayWorkerGroupSpec>, number]>([
    ['replicas', { replicas: 2_000_000_000 }, 2_000_000_000],
    ['minReplicas', { replicas: 1, minReplicas: 100_001 }, 100_001],
    ['the hosts of each replica', { replicas: 50_001, numOfHosts: 2 }, 100_002],
  ])('is too large by %s', (_what, group, pods) => {
    expect(groupSizeProblems(withGroup(group), 'spec')).toEqual([
      {
        path: 'spec.workerGroupSpecs[0].replicas',
        message: `Invalid value: ${pods} pods: must be at most 100000`,
      },
    ]);
  });

  it.each<[string, Partial<RayWorkerGroupSpec>]>([
    ['the maximum', { replicas: 100_000 }],
    ['limited by maxReplicas', { replicas: 2_000_000_000, maxReplicas: 3 }],
    ['of a suspended group', { replicas: 2_000_000_000, suspend: true }],
  ])('is valid: %s', (_what, group) => {
    expect(groupSizeProblems(withGroup(group), 'spec')).toEqual([]);
  });
});
