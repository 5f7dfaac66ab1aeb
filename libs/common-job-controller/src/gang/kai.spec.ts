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

describe('a pod under KAI', () => {
  it('names its scheduler, and leaves the group to the pod grouper', () => {
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
      name: "that of its job's label",
      parts: { labels: { 'kai.scheduler/queue': 'b' } },
      labels: { 'kai.scheduler/queue': 'b' },
    },
    {
      name: 'the priority of its policy',
      parts: { schedulingPolicy: { priorityClass: 'train' } },
      labels: { priorityClassName: 'train' },
    },
  ])('has $name', ({ parts, labels }) => expect(labelsOf(parts)).toEqual({ mine: 'yes', ...MARK, ...labels }));

  it('keeps the scheduler and the queue that the user has named', () => {
    const own = {
      metadata: { labels: { 'kai.scheduler/queue': 'own' } },
      spec: podSpec({}, { schedulerName: 'mine' }),
    };
    const job = trainingJob([WORKER], { schedulingPolicy: { queue: 'a' } });
    expect(KAI.decorate(own, job, { role: WORKER, index: 0 }, NO_RULES)).toMatchObject(own);
  });
});

describe('what KAI does not promise', () => {
  const elastic = { ...NO_RULES, scheduling: { leastReplicas: () => 1 } };
  it.each([
    { name: 'nothing of a job that it counts as Muster does', parts: {}, says: undefined },
    { name: 'nothing of an elastic PyTorchJob', parts: {}, rules: elastic, says: undefined },
    { name: 'nothing of a RayCluster', parts: { kind: 'RayCluster' }, rules: elastic, says: undefined },
    {
      name: 'a gang of a kind that it does not know',
      parts: { kind: 'MXJob' },
      says: /^KAI does not know MXJobs: it places each pod as soon/,
    },
    {
      name: 'less than all replicas of another elastic job',
      parts: { kind: 'TFJob' },
      rules: elastic,
      says: 'KAI waits for 5 pods, though the job can go on with 2: set spec.runPolicy.schedulingPolicy.minAvailable to 2',
    },
    {
      name: 'nothing more when the job says it',
      parts: { kind: 'TFJob', schedulingPolicy: { minAvailable: 2 } },
      rules: elastic,
      says: undefined,
    },
    {
      name: 'a start with roles that wait for others',
      parts: { startOrder: AFTER_MASTER },
      says: /^KAI waits for 5 pods, of which only 1 are made before others run, so none is placed: set .*minAvailable to 1$/,
    },
    {
      name: 'nothing of those when the job counts those that come first',
      parts: { startOrder: AFTER_MASTER, schedulingPolicy: { minAvailable: 1 } },
      says: undefined,
    },
    {
      name: 'a start of more pods than there are',
      parts: { schedulingPolicy: { minAvailable: 9 } },
      says: /^KAI waits for 9 pods, of which only 5/,
    },
  ] as { name: string; parts: Parts; rules?: typeof elastic; says: string | RegExp | undefined }[])(
    'is $name',
    ({ parts, rules = NO_RULES, says }) => {
      const words = KAI.shortcoming?.(trainingJob([MASTER, WORKER], parts), rules);
      if (says instanceof RegExp) expect(words).toMatch(says);
      else expect(words).toBe(says);
    },
  );

  it('is no launcher that waits for its workers, which it leaves out as well', () => {
    const rules = {
      ...NO_RULES,
      scheduling: { leastReplicas: (_job: unknown, { name }: { name: string }) => (name === 'Launcher' ? 0 : 4) },
    };
    expect(KAI.shortcoming?.(trainingJob([role('Launcher', 1), WORKER], { kind: 'MPIJob' }), rules)).toBeUndefined();
  });
});
