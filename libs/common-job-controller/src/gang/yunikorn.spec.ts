import type { Pod } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { NO_RULES, podSpec, role, trainingJob } from '../../test-support/training-job.ts';
import type { GangRules } from '../contract/gang-scheduler.ts';
import { YUNIKORN } from './yunikorn.ts';

const TOLERATIONS = [{ key: 'nvidia.com/gpu', operator: 'Exists' as const }];
const MASTER = role('Master', 1, podSpec({ cpu: '1' }));
const WORKER = role(
  'Worker',
  4,
  podSpec({ cpu: '2', 'nvidia.com/gpu': '1' }, { nodeSelector: { pool: 'gpu' }, tolerations: TOLERATIONS }),
);
const ROLES = [MASTER, WORKER];
const GROUPS = 'yunikorn.apache.org/task-groups';
const GROUP = 'yunikorn.apache.org/task-group-name';
const PARAMETERS = 'yunikorn.apache.org/schedulingPolicyParameters';

type Parts = NonNullable<Parameters<typeof trainingJob>[1]>;

interface Case {
  readonly parts?: Parts;
  readonly of?: typeof WORKER;
  readonly pod?: Pod;
  readonly rules?: GangRules;
}

function metadataOf({ parts = {}, of = WORKER, pod = {}, rules = NO_RULES }: Case = {}) {
  const { labels = {}, annotations = {} } =
    YUNIKORN.decorate(pod, trainingJob(ROLES, parts), { role: of, index: 0 }, rules).metadata ?? {};
  return { labels, annotations };
}

function taskGroups(each?: Case) {
  return JSON.parse(metadataOf(each).annotations[GROUPS] ?? '') as { name: string; minMember: number }[];
}

const least = (count: number): GangRules => ({
  ...NO_RULES,
  scheduling: { leastReplicas: (_job, { name, replicas }) => (name === 'Worker' ? count : replicas) },
});

describe('a pod of a job with YuniKorn', () => {
  it('has its application, its task group and the task groups of all roles', () => {
    expect(metadataOf()).toStrictEqual({
      labels: { 'muster.dev/gang-scheduler': 'yunikorn', 'yunikorn.apache.org/app-id': 'uid-1' },
      annotations: { [GROUP]: 'worker', [GROUPS]: expect.any(String) as string },
    });
    expect(taskGroups()).toEqual([
      { name: 'master', minMember: 1, minResource: { cpu: '1' } },
      {
        name: 'worker',
        minMember: 4,
        minResource: { cpu: '2', 'nvidia.com/gpu': '1' },
        nodeSelector: { pool: 'gpu' },
        tolerations: TOLERATIONS,
      },
    ]);
  });

  it('has them in addition to the labels and annotations of its template', () => {
    const own = { labels: { app: 'mnist' }, annotations: { 'example.com/team': 'vision' } };
    const parts = { schedulingPolicy: { queue: 'root.a' } };
    expect(metadataOf({ pod: { metadata: own }, parts })).toMatchObject({
      labels: { ...own.labels, 'yunikorn.apache.org/app-id': 'uid-1', 'yunikorn.apache.org/queue': 'root.a' },
      annotations: { ...own.annotations, [GROUP]: 'worker' },
    });
  });

  it("has the same task groups in all roles, and YuniKorn's schedulerName", () => {
    expect(taskGroups({ of: MASTER })).toEqual(taskGroups());
    const pod = YUNIKORN.decorate({ spec: podSpec() }, trainingJob(ROLES), { role: MASTER, index: 0 }, NO_RULES);
    expect(pod.spec?.schedulerName).toBe('yunikorn');
    expect(pod.metadata?.annotations?.[GROUP]).toBe('master');
  });

  it.each<{ name: string; parts: Parts; labels: Record<string, string> }>([
    {
      name: 'the queue of its policy',
      parts: { schedulingPolicy: { queue: 'root.a' } },
      labels: { 'yunikorn.apache.org/queue': 'root.a' },
    },
    {
      name: "the queue of its job's label",
      parts: { labels: { 'yunikorn.apache.org/queue': 'root.b' } },
      labels: { 'yunikorn.apache.org/queue': 'root.b' },
    },
    {
      name: "the queue of its job's annotation",
      parts: { annotations: { 'yunikorn.apache.org/queue': 'root.c' } },
      labels: { 'yunikorn.apache.org/queue': 'root.c' },
    },
    {
      name: "the application of its job's label",
      parts: { labels: { 'yunikorn.apache.org/app-id': 'both' } },
      labels: { 'yunikorn.apache.org/app-id': 'both' },
    },
    {
      name: 'an application for each attempt of the job',
      parts: { status: { attempt: 2 } },
      labels: { 'yunikorn.apache.org/app-id': 'uid-1-2' },
    },
  ])('has $name', ({ parts, labels }) => expect(metadataOf({ parts }).labels).toMatchObject(labels));

  it.each<{ name: string; own: NonNullable<Pod['metadata']> }>([
    { name: 'in the labels of before 1.6', own: { labels: { applicationId: 'mine', queue: 'root.mine' } } },
    {
      name: 'in annotations',
      own: { annotations: { 'yunikorn.apache.org/app-id': 'mine', 'yunikorn.apache.org/queue': 'root.mine' } },
    },
  ])('does not repeat values of its template $name', ({ own }) => {
    const { labels } = metadataOf({ pod: { metadata: own }, parts: { schedulingPolicy: { queue: 'root.a' } } });
    expect(labels).toEqual({ ...own.labels, 'muster.dev/gang-scheduler': 'yunikorn' });
  });

  it('keeps the task groups of its template', () => {
    const own = { [GROUPS]: '[]', [GROUP]: 'mine' };
    expect(metadataOf({ pod: { metadata: { annotations: own } } }).annotations).toEqual(own);
  });

  it.each<{ name: string; parts: Parts; expected: string | undefined }>([
    { name: 'no parameters', parts: {}, expected: undefined },
    {
      name: 'the timeout of its policy',
      parts: { schedulingPolicy: { scheduleTimeoutSeconds: 60 } },
      expected: 'placeholderTimeoutInSeconds=60',
    },
    {
      name: "the job's parameters and the timeout of its policy",
      parts: {
        schedulingPolicy: { scheduleTimeoutSeconds: 60 },
        annotations: { [PARAMETERS]: 'gangSchedulingStyle=Hard' },
      },
      expected: 'gangSchedulingStyle=Hard placeholderTimeoutInSeconds=60',
    },
    {
      name: "the job's own timeout",
      parts: {
        schedulingPolicy: { scheduleTimeoutSeconds: 60 },
        annotations: { [PARAMETERS]: 'placeholderTimeoutInSeconds=5' },
      },
      expected: 'placeholderTimeoutInSeconds=5',
    },
  ])('has $name', ({ parts, expected }) => expect(metadataOf({ parts }).annotations[PARAMETERS]).toBe(expected));
});

describe('the task groups', () => {
  const sizes = (each: Case) => taskGroups(each).map(({ name, minMember }) => [name, minMember]);

  it.each<{ name: string; each: Case; groups: unknown }>([
    {
      name: 'the minimum of an elastic job',
      each: { rules: least(2) },
      groups: [
        ['master', 1],
        ['worker', 2],
      ],
    },
    {
      name: 'minAvailable, with required replicas of each role first',
      each: { parts: { schedulingPolicy: { minAvailable: 3 } } },
      groups: [
        ['master', 1],
        ['worker', 2],
      ],
    },
    {
      name: 'no replicas of a role beyond minAvailable',
      each: { parts: { schedulingPolicy: { minAvailable: 1 } } },
      groups: [['master', 1]],
    },
    {
      name: 'no replicas of a role that waits for another',
      each: { parts: { startOrder: [{ role: 'Worker', dependsOn: ['Master'] }] } },
      groups: [['master', 1]],
    },
  ])('count $name', ({ each, groups }) => expect(sizes(each)).toEqual(groups));

  it('are not set in pods of a role without one', () => {
    const { annotations } = metadataOf({ parts: { startOrder: [{ role: 'Worker', dependsOn: ['Master'] }] } });
    expect(Object.keys(annotations)).toEqual([GROUPS]);
  });
});
