import { describe, expect, it } from 'vitest';
import { NOW, plainPod, type PlainPod } from '../../test-support/plain-pod.ts';
import { namesOf, planOf } from '../../test-support/plain-world.ts';
import { stuckPods } from './stuck-pods.ts';

describe('stuckPods', () => {
  it.each<[string, PlainPod, told: string[], events: number, requeueAfterMs: number | undefined]>([
    ['not of a pod that nobody deletes', {}, [], 0, undefined],
    ['not of a pod in its time of grace, but looks again', { deleted: -10, grace: 30 }, [], 0, 140_000],
    ['not of one that is a little late, but looks again', { deleted: -140, grace: 30 }, [], 0, 10_000],
    ['of one that is two minutes late', { deleted: -150, grace: 30 }, [], 1, undefined],
    ['not twice', { deleted: -150, grace: 30 }, ['uid-job-worker-0'], 0, undefined],
    ['of the next one of its name', { deleted: -150, grace: 30, uid: 'next' }, ['uid-job-worker-0'], 1, undefined],
  ])('tells %s', (_case, pod, told, events, requeueAfterMs) => {
    const stuck = stuckPods([plainPod(pod)], new Set(told), NOW);
    expect([stuck.events.length, stuck.requeueAfterMs]).toEqual([events, requeueAfterMs]);
  });

  it('is all that happens: the pod is neither forced away nor doubled, and its job has not failed', () => {
    const { status, events, remove, create } = planOf({ workers: 2, pods: [{}, { index: 1, deleted: -9999 }] });
    expect(events.map(({ reason }) => reason)).toContain('PodStuckTerminating');
    expect([status?.state, namesOf(remove.pods), namesOf(create.pods)]).toEqual(['Running', [], []]);
  });
});
