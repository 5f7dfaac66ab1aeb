import { describe, expect, it } from 'vitest';
import { NO_RULES, podSpec, role, trainingJob } from '../../test-support/training-job.ts';
import { KAI } from './kai.ts';

const MASTER = role('Master', 1);
const WORKER = role('Worker', 4);
const POD = { metadata: { name: 'p', labels: { mine: 'yes' } }, spec: podSpec() };
const MARK = { 'muster.dev/gang-scheduler': 'kai-scheduler' };
const AFTER_MASTER = [{ role: 'Worker', dependsOn: ['Master'] }];

type Parts = NonNullable<Parameters<typeof trainingJob>[1]>;

const labelsOf = (parts: Parts, pod = POD) =>
  KAI.decorate(pod, trainingJob([WORKER], parts), { role: WORKER, index: 0 }, NO_RULES).metadata?.labels;

describe('a pod of a job with KAI', () => {
  it("has KAI's schedulerName and no group, which the pod grouper creates", () => {
    expect(KAI.decorate(POD, trainingJob([WORKER]), { role: WORKER, index: 0 }, NO_RULES)).toEqual({
      metadata: { name: 'p', labels: { mine: 'yes', ...MARK } },
      spec: { ...podSpec(), schedulerName: 'kai-scheduler' },
    });
  });

  it.each<{ name: string; parts: Parts; labels: Record<string, string> }>([
    {
      name: 'the queue of its policy',
      parts: { schedulingPolicy: { queue: 'a' } },
      labels: { 'kai.scheduler/queue': 'a' },
    },
    {
      name: "the queue of its job's label",
      parts: { labels: { 'kai.scheduler/queue': 'b' } },
      labels: { 'kai.scheduler/queue': 'b' },
    },
    {
      name: 'the priority of its policy',
      parts: { schedulingPolicy: { priorityClass: 'train' } },
      labels: { priorityClassName: 'train' },
    },
  ])('has $name', ({ parts, labels }) => expect(labelsOf(parts)).toEqual({ mine: 'yes', ...MARK, ...labels }));

  it("keeps the user's scheduler and queue", () => {
    const own = {
      metadata: { labels: { 'kai.scheduler/queue': 'own' } },
      spec: podSpec({}, { schedulerName: 'mine' }),
    };
    const job = trainingJob([WORKER], { schedulingPolicy: { queue: 'a' } });
    expect(KAI.decorate(own, job, { role: WORKER, index: 0 }, NO_RULES)).toMatchObject(own);
  });
});

describe('the shortcomings of KAI', () => {
  const elastic = { ...NO_RULES, scheduling: { leastReplicas: () => 1 } };
  it.each([
    { name: 'none for a job that KAI counts like Muster', parts: {}, expected: undefined },
    { name: 'none for an elastic PyTorchJob', parts: {}, rules: elastic, expected: undefined },
    { name: 'none for an XGBoostJob', parts: { kind: 'XGBoostJob' }, expected: undefined },
    { name: 'none for a RayCluster', parts: { kind: 'RayCluster' }, rules: elastic, expected: undefined },
    {
      name: 'a kind that KAI does not support',
      parts: { kind: 'MXJob' },
      expected: /^KAI does not support MXJobs: it places each pod as soon/,
    },
    {
      name: 'an elastic job of which KAI requires all replicas',
      parts: { kind: 'TFJob' },
      rules: elastic,
      expected:
        'KAI waits for 5 pods, although the job can run with 2: set spec.runPolicy.schedulingPolicy.minAvailable to 2',
    },
    {
      name: 'none if the job sets minAvailable',
      parts: { kind: 'TFJob', schedulingPolicy: { minAvailable: 2 } },
      rules: elastic,
      expected: undefined,
    },
    {
      name: 'roles that wait for others',
      parts: { startOrder: AFTER_MASTER },
      expected:
        /^KAI waits for 5 pods, of which only 1 are created before others run, so none is placed: set .*minAvailable to 1$/,
    },
    {
      name: 'none if minAvailable counts only the roles that start first',
      parts: { startOrder: AFTER_MASTER, schedulingPolicy: { minAvailable: 1 } },
      expected: undefined,
    },
    {
      name: 'minAvailable above the number of pods',
      parts: { schedulingPolicy: { minAvailable: 9 } },
      expected: /^KAI waits for 9 pods, of which only 5/,
    },
  ] as { name: string; parts: Parts; rules?: typeof elastic; expected: string | RegExp | undefined }[])(
    'is $name',
    ({ parts, rules = NO_RULES, expected }) => {
      const message = KAI.shortcoming?.(trainingJob([MASTER, WORKER], parts), rules);
      if (expected instanceof RegExp) expect(message).toMatch(expected);
      else expect(message).toBe(expected);
    },
  );

  it('do not include a launcher that waits for its workers', () => {
    const rules = {
      ...NO_RULES,
      scheduling: { leastReplicas: (_job: unknown, { name }: { name: string }) => (name === 'Launcher' ? 0 : 4) },
    };
    expect(KAI.shortcoming?.(trainingJob([role('Launcher', 1), WORKER], { kind: 'MPIJob' }), rules)).toBeUndefined();
  });
});
