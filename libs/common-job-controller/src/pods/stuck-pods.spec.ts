import { describe, expect, it } from 'vitest';
import { NOW, plainPod, type PlainPod } from '../../test-support/plain-pod.ts';
import { namesOf, planOf } from '../../test-support/plain-world.ts';
import { stuckPods } from './stuck-pods.ts';

describe('stuckPods', () => {
  it.each<[string, PlainPod, emitted: string[], events: number, requeueAfterMs: number | undefined]>([
    ['nothing for a pod that is not being deleted', {}, [], 0, undefined],
    ['nothing within the grace period, and reconciles again', { deleted: -10, grace: 30 }, [], 0, 140_000],
    ['nothing for a pod that is a little late, and reconciles again', { deleted: -140, grace: 30 }, [], 0, 10_000],
    ['a pod that is two minutes late', { deleted: -150, grace: 30 }, [], 1, undefined],
    ['each pod once', { deleted: -150, grace: 30 }, ['uid-job-worker-0'], 0, undefined],
    ['a later pod of the same name', { deleted: -150, grace: 30, uid: 'next' }, ['uid-job-worker-0'], 1, undefined],
  ])('reports %s', (_case, pod, emitted, events, requeueAfterMs) => {
    const stuck = stuckPods([plainPod(pod)], new Set(emitted), NOW);
    expect([stuck.events.length, stuck.requeueAfterMs]).toEqual([events, requeueAfterMs]);
  });

  it('neither deletes the pod by force nor creates a second one nor fails the job', () => {
    const { status, events, remove, create } = planOf({ workers: 2, pods: [{}, { index: 1, deleted: -9999 }] });
    expect(events.map(({ reason }) => reason)).toContain('PodStuckTerminating');
    expect([status?.state, namesOf(remove.pods), namesOf(create.pods)]).toEqual(['Running', [], []]);
  });
});
