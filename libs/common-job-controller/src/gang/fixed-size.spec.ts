import type { Pod, PodSpec } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { role, trainingJob } from '../../test-support/training-job.ts';
import type { ReplicaState } from '../model/replica-pod.ts';
import { fixedSize } from './fixed-size.ts';
import { KUBERNETES } from './kubernetes.ts';
import { VOLCANO } from './volcano.ts';

const MEMBER: Pod = { spec: { schedulingGroup: { podGroupName: 'mnist' } } as unknown as PodSpec };
const ALONE: Pod = { spec: { containers: [] } };

/** `least`: the group's minimum. Each replica has a state; pods of states in capitals are not in the group. */
function sizeOf(least: number, states: readonly (ReplicaState | 'RUNNING' | 'PENDING' | 'FAILED')[]) {
  const worker = role('Worker', states.length);
  const job = trainingJob([worker]);
  const group = KUBERNETES.groups.desired(job, { minMember: least, minResources: undefined });
  const replicas = states.map((each, index) => {
    const state = each.toLowerCase() as ReplicaState;
    const pod = state === each ? MEMBER : ALONE;
    return { role: worker, index, state, ...(state !== 'missing' && { pod }) };
  });
  return fixedSize(KUBERNETES, states.length, group, replicas);
}

describe('fixedSize', () => {
  it('is empty for a group of the desired size, before, during and after its pods are recreated', () => {
    for (const state of ['missing', 'pending', 'running', 'failed', 'terminating'] as const)
      expect(sizeOf(2, [state, 'missing'])).toEqual({ isTooLarge: false });
  });

  it('waits for another group if there are no pods', () => {
    expect(sizeOf(3, ['missing', 'missing'])?.waitsFor).toBe('PodGroup mnist is recreated for 2 pods instead of 3');
    expect(sizeOf(3, ['failed', 'missing'])?.waitsFor).toBeDefined();
  });

  it('keeps the group and adds a note if there are pods', () => {
    const { waitsFor, note } = sizeOf(2, ['running', 'running', 'missing']) ?? {};
    expect(waitsFor).toBeUndefined();
    expect(note).toMatch(
      /^PodGroup mnist, .* it waits for 2 pods instead of 3, until all pods of the job are recreated$/,
    );
  });

  it('detects a group that waits for more pods than it can get', () => {
    expect(sizeOf(3, ['running', 'missing'])?.isTooLarge).toBe(true);
    expect(sizeOf(2, ['succeeded', 'missing'])?.isTooLarge).toBe(true);
    expect(sizeOf(2, ['RUNNING', 'missing'])?.isTooLarge).toBe(true);
    expect(sizeOf(2, ['PENDING', 'missing'])?.isTooLarge).toBe(true);
    expect(sizeOf(2, ['terminating', 'missing'])?.isTooLarge).toBe(false);
    // It will be recreated in the group.
    expect(sizeOf(2, ['FAILED', 'missing'])?.isTooLarge).toBe(false);
  });

  it('counts a replica whose Job has not created its pod yet', () => {
    const worker = role('Worker', 2);
    const group = KUBERNETES.groups.desired(trainingJob([worker]), { minMember: 2, minResources: undefined });
    const replicas = (['pending', 'missing'] as const).map((state, index) => ({ role: worker, index, state }));
    expect(fixedSize(KUBERNETES, 2, group, replicas)?.isTooLarge).toBe(false);
  });

  it('is undefined for a mutable group, and without a group', () => {
    const job = trainingJob([role('Worker', 2)]);
    const group = VOLCANO.groups.desired(job, { minMember: 5, minResources: undefined });
    expect(fixedSize(VOLCANO, 2, group, [])).toBeUndefined();
    expect(fixedSize(KUBERNETES, 2, undefined, [])).toBeUndefined();
  });
});
