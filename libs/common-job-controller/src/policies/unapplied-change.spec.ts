import type { JobStatus } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import type { PlainPod } from '../../test-support/plain-pod.ts';
import { conditionsOf, namesOf, planOf, statusAfter, type PlainWorld } from '../../test-support/plain-world.ts';

const problems = [{ path: 'spec.roles[Worker]', message: 'Invalid value: -3: must be at least 1' }];
const MESSAGE = 'spec.roles[Worker]: Invalid value: -3: must be at least 1';
const pods: PlainPod[] = [{ index: 0 }, { index: 1 }, { index: 2 }];
const valid: PlainWorld = { workers: 3, pods };
const ran = statusAfter(valid);
const changed: PlainWorld = { workers: 0, pods, problems, generation: 2, status: ran };

const messageOf = ({ conditions = [] }: JobStatus, wanted = 'Running') =>
  conditions.find(({ type }) => type === wanted)?.message;

describe('an invalid change of a running job', () => {
  it.each<[what: string, size: number]>([
    ['a size below zero', -3],
    ['a size that is not a number', NaN],
    ['a size too large for the memory', 1e9],
    ['none', 0],
  ])('changes no objects of the job: %s', (_what, size) => {
    const { create, remove, ownedResources, status } = planOf({ ...changed, workers: size });
    expect([create.pods, create.services, remove.pods, remove.services, ownedResources.change].flat()).toEqual([]);
    expect(status?.state).toBe('Running');
  });

  it('is reported in the status, and by one warning for each change', () => {
    const { events, status } = planOf(changed);
    expect(events).toMatchObject([{ type: 'Warning', reason: 'InvalidChange' }]);
    expect(events[0]?.note).toContain(MESSAGE);
    expect(messageOf(status ?? {})).toContain(MESSAGE);
    expect(events[0]?.dedupKey).not.toBe(planOf({ ...changed, generation: 3 }).events[0]?.dedupKey);
  });

  it('is not recorded as observed, so that a restarted operator rejects it, too', () => {
    const status = planOf(changed).status ?? {};
    expect(status.observedGeneration).toBe(1);
    const again = planOf({ ...changed, status, now: 60 });
    expect([again.status, again.remove.pods]).toEqual([undefined, []]);
  });

  it('ends with a valid change, which removes the message', () => {
    const held = planOf(changed).status ?? {};
    const { create, status } = planOf({ ...valid, workers: 4, generation: 3, status: held, now: 60 });
    expect(namesOf(create.pods)).toEqual(['job-worker-3']);
    expect(status?.observedGeneration).toBe(3);
    expect(messageOf(status ?? {})).toBe(messageOf(ran));
  });

  it('creates no pod, and deletes none that is to be restarted', () => {
    const failed = planOf({ ...changed, pods: [{ index: 0 }, { index: 1, phase: 'Failed', exit: 137 }] });
    expect([failed.create.pods, failed.remove.pods].flat()).toEqual([]);
  });

  it.each<[string, PlainPod[], string]>([
    ['successful', pods.map((pod) => ({ ...pod, phase: 'Succeeded' })), 'Succeeded'],
    ['failed', pods.map((pod) => ({ ...pod, phase: 'Failed', exit: 1 })), 'Failed'],
  ])('lets the job reach a %s end, with the message of that end', (_end, ended, condition) => {
    const status = statusAfter({ ...changed, workers: NaN, pods: ended });
    expect(conditionsOf(status)).toContain(`${condition}=True`);
    expect(messageOf(status, condition)).not.toContain(MESSAGE);
  });

  it('does not affect a suspended or finished job', () => {
    const suspended = planOf({ ...changed, workers: NaN, runPolicy: { suspend: true } });
    expect([suspended.status?.state, suspended.status?.ready]).toEqual(['Suspended', '0/3']);
    expect(suspended.remove.pods).toHaveLength(3);
    const over = statusAfter({ ...valid, pods: pods.map((pod) => ({ ...pod, phase: 'Succeeded' })) });
    const { remove, status } = planOf({ ...changed, workers: NaN, status: over, runPolicy: { cleanPodPolicy: 'All' } });
    expect([remove.pods.length, status]).toEqual([3, undefined]);
  });

  it('is accepted if the rule is newer, or if another operator ran the job', () => {
    for (const status of [ran, { ...ran, observedGeneration: undefined } as unknown as JobStatus]) {
      const generation = status === ran ? 1 : 2;
      const plan = planOf({ ...valid, pods: pods.slice(0, 2), problems, generation, status });
      expect(namesOf(plan.create.pods)).toEqual(['job-worker-2']);
    }
  });
});
