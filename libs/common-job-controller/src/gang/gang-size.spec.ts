import { describe, expect, it } from 'vitest';
import { NO_RULES, podSpec, role, trainingJob } from '../../test-support/training-job.ts';
import type { ReplicaRole } from '../model/training-job.ts';
import { gangSize } from './gang-size.ts';
import type { GangRules } from '../contract/gang-scheduler.ts';

const elastic = (least: number): GangRules => ({
  ...NO_RULES,
  scheduling: { leastReplicas: (_job, { name, replicas }) => (name === 'Worker' ? least : replicas) },
});

const master = (cpu = '1') => role('Master', 1, podSpec({ cpu }));
const workers = (replicas: number, requests: Record<string, string> = { cpu: '2' }) =>
  role('Worker', replicas, podSpec(requests));

interface Case {
  readonly name: string;
  readonly roles: readonly ReplicaRole[];
  readonly rules?: GangRules;
  readonly policy?: NonNullable<Parameters<typeof trainingJob>[1]>['schedulingPolicy'];
  readonly minMember: number;
  readonly minResources: Record<string, string> | undefined;
}

const CASES: readonly Case[] = [
  {
    name: 'all replicas of a job that is not elastic',
    roles: [master(), workers(3)],
    minMember: 4,
    minResources: { cpu: '7' },
  },
  {
    name: 'the elastic minimum and the master',
    roles: [master(), workers(8)],
    rules: elastic(2),
    minMember: 3,
    minResources: { cpu: '5' },
  },
  {
    name: 'the elastic minimum alone without a master',
    roles: [workers(8)],
    rules: elastic(2),
    minMember: 2,
    minResources: { cpu: '4' },
  },
  {
    name: 'all workers if there are fewer than the elastic minimum',
    roles: [workers(1)],
    rules: elastic(2),
    minMember: 1,
    minResources: { cpu: '2' },
  },
  {
    name: 'at most the replicas of each role',
    roles: [role('PS', 1, podSpec({ memory: '1Gi' })), workers(5)],
    rules: { ...NO_RULES, scheduling: { leastReplicas: () => 2 } },
    minMember: 3,
    minResources: { cpu: '4', memory: '1Gi' },
  },
  {
    name: 'minAvailable rather than the elastic minimum, in the order of roles',
    roles: [master(), workers(8)],
    rules: elastic(2),
    policy: { minAvailable: 5 },
    minMember: 5,
    minResources: { cpu: '9' },
  },
  {
    name: 'the required replicas of each role before optional ones',
    roles: [workers(8), role('Evaluator', 1, podSpec({ memory: '1Gi' }))],
    rules: elastic(2),
    policy: { minAvailable: 4 },
    minMember: 4,
    minResources: { cpu: '6', memory: '1Gi' },
  },
  {
    name: 'only the first role with minAvailable 1',
    roles: [master('100m'), workers(8)],
    policy: { minAvailable: 1 },
    minMember: 1,
    minResources: { cpu: '100m' },
  },
  {
    name: 'at most the number of replicas',
    roles: [workers(2)],
    policy: { minAvailable: 9 },
    minMember: 2,
    minResources: { cpu: '4' },
  },
  {
    name: 'one with minAvailable 0',
    roles: [workers(2)],
    policy: { minAvailable: 0 },
    minMember: 1,
    minResources: { cpu: '2' },
  },
  {
    name: 'without resources if no pod requests any',
    roles: [workers(2, {})],
    minMember: 2,
    minResources: undefined,
  },
  {
    name: 'minResources of the policy, in canonical form and without invalid amounts',
    roles: [workers(2)],
    policy: { minResources: { cpu: 6, memory: '2048Mi', 'nvidia.com/gpu': '1e1.5' } },
    minMember: 2,
    minResources: { cpu: '6', memory: '2Gi' },
  },
  {
    name: 'exact sums of all formats of amounts',
    roles: [
      role('PS', 3, podSpec({ cpu: '100m', memory: '1500Mi' })),
      role('Chief', 1, podSpec({ cpu: '0.5', memory: '2Gi', 'ephemeral-storage': '1e3' })),
      role('Worker', 2, podSpec({ cpu: '1', memory: '512Mi', 'nvidia.com/gpu': '8', 'ephemeral-storage': '500' })),
    ],
    minMember: 6,
    minResources: { cpu: '2800m', 'ephemeral-storage': '2e3', memory: '7572Mi', 'nvidia.com/gpu': '16' },
  },
];

describe('gangSize', () => {
  it.each(CASES)('is $name', ({ roles, rules = NO_RULES, policy, minMember, minResources }) => {
    const job = trainingJob(roles, policy && { schedulingPolicy: policy });
    expect(gangSize(rules, job)).toMatchObject({ minMember, minResources });
  });

  it('is at most the pods of roles that start first, with any minAvailable', () => {
    const ordered = { startOrder: [{ role: 'Worker', dependsOn: ['Master'] }], schedulingPolicy: { minAvailable: 4 } };
    expect(gangSize(NO_RULES, trainingJob([master(), workers(3)], ordered)).minMember).toBe(1);
  });

  it('is minAvailable if no role has a minimum', () => {
    const job = trainingJob([master(), workers(3)], { schedulingPolicy: { minAvailable: 3 } });
    const none: GangRules = { ...NO_RULES, scheduling: { leastReplicas: () => 0 } };
    expect(gangSize(none, job).minMember).toBe(3);
    expect(gangSize(none, trainingJob([workers(2)], { schedulingPolicy: { minAvailable: 3 } })).minMember).toBe(2);
  });

  it('counts the init containers that the framework adds', () => {
    const waits: GangRules = {
      pod: (_job, { role: { name } }) =>
        name === 'Worker' ? { initContainers: [{ name: 'wait', resources: { requests: { cpu: '50m' } } }] } : {},
    };
    expect(gangSize(waits, trainingJob([master(), workers(2, {})]))).toEqual({
      minMember: 3,
      minResources: { cpu: '1100m' },
    });
  });

  it('has the minimum per role if not all pods are required', () => {
    const all = trainingJob([master(), workers(4)]);
    expect(gangSize(NO_RULES, all).minMembers).toBeUndefined();
    expect([...(gangSize(elastic(2), all).minMembers ?? [])].map(([{ name }, count]) => [name, count])).toEqual([
      ['Master', 1],
      ['Worker', 2],
    ]);
  });

  it('counts roles that wait in an init container with its requests, and only the resources of roles that are created later', () => {
    const job = (initContainer: object) =>
      trainingJob([master(), workers(2, { cpu: '20m' })], {
        startOrder: [{ role: 'Worker', dependsOn: ['Master'], ...initContainer }],
      });
    expect(gangSize(NO_RULES, job({ initContainer: { port: 9 } }))).toEqual({
      minMember: 3,
      minResources: { cpu: '1200m', memory: '64Mi' },
    });
    expect(gangSize(NO_RULES, job({}))).toMatchObject({ minMember: 1, minResources: { cpu: '1040m' } });
  });
});
