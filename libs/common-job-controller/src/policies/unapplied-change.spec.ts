/** Changes to a job that runs which cannot be run. */
import type { JobStatus } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import type { PlainPod } from '../../test-support/plain-pod.ts';
import { conditionsOf, namesOf, planOf, statusAfter, type PlainWorld } from '../../test-support/plain-world.ts';

const problems = [{ path: 'spec.roles[Worker]', message: 'Invalid value: -3: must be at least 1' }];
const WORDS = 'spec.roles[Worker]: Invalid value: -3: must be at least 1';
const pods: PlainPod[] = [{ index: 0 }, { index: 1 }, { index: 2 }];
const valid: PlainWorld = { workers: 3, pods };
const ran = statusAfter(valid);
const changed: PlainWorld = { workers: 0, pods, problems, generation: 2, status: ran };

const messageOf = ({ conditions = [] }: JobStatus, wanted = 'Running') =>
  conditions.find(({ type }) => type === wanted)?.message;

describe('a change of a job that runs to what cannot be run', () => {
  it.each<[what: string, size: number]>([
    ['a size below zero', -3],
    ['no size', NaN],
    ['a size that no memory holds', 1e9],
    ['none', 0],
  ])('changes nothing that the job has: %s', (_what, size) => {
    const { create, remove, ownedResources, status } = planOf({ ...changed, workers: size });
    expect([create.pods, create.services, remove.pods, remove.services, ownedResources.change].flat()).toEqual([]);
    expect(status?.state).toBe('Running');
  });

  it('is told as a warning, once for each change, and stands in the status', () => {
    const { events, status } = planOf(changed);
    expect(events).toMatchObject([{ type: 'Warning', reason: 'InvalidChange' }]);
    expect(events[0]?.note).toContain(WORDS);
    expect(messageOf(status ?? {})).toContain(WORDS);
    expect(events[0]?.dedupKey).not.toBe(planOf({ ...changed, generation: 3 }).events[0]?.dedupKey);
  });

  it('is not taken for seen: an operator that starts anew holds it, too', () => {
    const status = planOf(changed).status ?? {};
    expect(status.observedGeneration).toBe(1);
    const again = planOf({ ...changed, status, now: 60 });
    expect([again.status, again.remove.pods]).toEqual([undefined, []]);
  });

  it('is made good by a change that can be run, which takes the words back', () => {
    const held = planOf(changed).status ?? {};
    const { create, status } = planOf({ ...valid, workers: 4, generation: 3, status: held, now: 60 });
    expect(namesOf(create.pods)).toEqual(['job-worker-3']);
    expect(status?.observedGeneration).toBe(3);
    expect(messageOf(status ?? {})).toBe(messageOf(ran));
  });

  it('makes no pod, and deletes none that is to be restarted', () => {
    const failed = planOf({ ...changed, pods: [{ index: 0 }, { index: 1, phase: 'Failed', exit: 137 }] });
    expect([failed.create.pods, failed.remove.pods].flat()).toEqual([]);
  });

  it.each<[string, PlainPod[], string]>([
    ['good', pods.map((pod) => ({ ...pod, phase: 'Succeeded' })), 'Succeeded'],
    ['bad', pods.map((pod) => ({ ...pod, phase: 'Failed', exit: 1 })), 'Failed'],
  ])('lets it come to a %s end, with the message of that end', (_end, ended, condition) => {
    const status = statusAfter({ ...changed, workers: NaN, pods: ended });
    expect(conditionsOf(status)).toContain(`${condition}=True`);
    expect(messageOf(status, condition)).not.toContain(WORDS);
  });

  it('does not hold a job back that is suspended, or has ended', () => {
    const suspended = planOf({ ...changed, workers: NaN, runPolicy: { suspend: true } });
    expect([suspended.status?.state, suspended.status?.ready]).toEqual(['Suspended', '0/3']);
    expect(suspended.remove.pods).toHaveLength(3);
    const over = statusAfter({ ...valid, pods: pods.map((pod) => ({ ...pod, phase: 'Succeeded' })) });
    const { remove, status } = planOf({ ...changed, workers: NaN, status: over, runPolicy: { cleanPodPolicy: 'All' } });
    expect([remove.pods.length, status]).toEqual([3, undefined]);
  });

  it('is none where the rule came later, or another operator has run the job', () => {
    for (const status of [ran, { ...ran, observedGeneration: undefined } as unknown as JobStatus]) {
      const generation = status === ran ? 1 : 2;
      const plan = planOf({ ...valid, pods: pods.slice(0, 2), problems, generation, status });
      expect(namesOf(plan.create.pods)).toEqual(['job-worker-2']);
    }
  });
});
