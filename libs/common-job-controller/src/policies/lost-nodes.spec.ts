import type { Node } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { deletionOf, lossOf } from '../model/state-ages.ts';
import { at, NOW, plainPod, type PlainPod } from '../../test-support/plain-pod.ts';
import { namesOf, planOf, statusAfter, type PlainWorld } from '../../test-support/plain-world.ts';
import { lostSinceMs, nodeOf, trimNode } from './lost-nodes.ts';

const TIMEOUT = { lostNodeTimeoutSeconds: 60 };
const lost = (seconds: number) => new Map([['n1', NOW + seconds * 1000]]);
const seenFor = (lostSeconds: number, deletedSeconds: number, nodes = lost(-lostSeconds)) =>
  new Map([
    [lossOf('n1', nodes.get('n1') ?? 0), lostSeconds * 1000],
    [deletionOf(plainPod()), deletedSeconds * 1000],
  ]);
const GOING: PlainPod = { node: 'n1', deleted: -300, grace: 30 };

const forcedOf = (plain: PlainWorld) => namesOf(planOf(plain).forced.map(({ object }) => object));

describe('a pod that is being deleted on a node that is not ready', () => {
  it.each<[string, PlainPod, seconds: number, forced: boolean, requeueAfterMs: number | undefined]>([
    ['is kept before the timeout', GOING, -50, false, 10_000],
    ['is deleted by force after the timeout', GOING, -60, true, undefined],
    ['is kept during its grace period', { ...GOING, deleted: -20 }, -600, false, 10_000],
    ['is kept if finalizers hold it instead of a kubelet', { ...GOING, grace: 0 }, -600, false, undefined],
    ['is ignored on another node', { ...GOING, node: 'n2' }, -600, false, undefined],
    ['is ignored if it has no node', { deleted: -300 }, -600, false, undefined],
    ['is ignored if it has another owner', { ...GOING, owner: { uid: 'other' } }, -600, false, undefined],
    ['is ignored if it is not being deleted', { node: 'n1' }, -600, false, undefined],
  ])('%s', (_what, pod, seconds, forced, requeueAfterMs) => {
    const roles = [{ name: 'Worker', replicas: 1 }];
    const stateAges = seenFor(-seconds, -(pod.deleted ?? 0));
    const world = { roles, pods: [pod], runPolicy: TIMEOUT, lostNodes: lost(seconds), stateAges };
    expect(forcedOf(world)).toEqual(forced ? ['job-worker-0'] : []);
    const plan = planOf({
      ...world,
      pods: [{ ...pod, role: 'x', uid: 'uid-job-worker-0' }],
      runPolicy: { ...TIMEOUT, suspend: true },
    });
    expect(plan.requeueAfterMs).toBe(requeueAfterMs);
  });

  it.each<[string, PlainWorld]>([
    ['runs', { workers: 2, pods: [GOING, { index: 1 }] }],
    ['is suspended', { pods: [GOING], runPolicy: { suspend: true } }],
    ['has ended', { pods: [GOING], status: statusAfter({ pods: [{ phase: 'Succeeded', exit: 0 }] }) }],
  ])('is deleted by force when the job %s', (_what, world) => {
    const runPolicy = { ...world.runPolicy, ...TIMEOUT };
    expect(forcedOf({ ...world, runPolicy, lostNodes: lost(-60), stateAges: seenFor(60, 300) })).toEqual([
      'job-worker-0',
    ]);
  });

  it('is reported with its node and the time of the loss', () => {
    const [deletion] = planOf({
      ...{ pods: [GOING], runPolicy: TIMEOUT, lostNodes: lost(-90) },
      stateAges: seenFor(90, 300),
    }).forced;
    expect(deletion?.event).toMatchObject({ type: 'Warning', reason: 'ForcedDeletePod' });
    expect(deletion?.event.note).toContain(`Pod job-worker-0 was force-deleted: its node n1`);
    expect(deletion?.event.note).toContain(at(-90));
  });

  it.each<[string, PlainWorld, string[]]>([
    ['on a node that is not lost for long enough', { runPolicy: TIMEOUT, lostNodes: lost(-50) }, []],
    ['of a job without a timeout', { lostNodes: lost(-50) }, ['PodStuckTerminating']],
    ['whose node is ready', { runPolicy: TIMEOUT, lostNodes: new Map() }, ['PodStuckTerminating']],
  ])('is reported as stuck only if it will not be deleted by force: a pod %s', (_what, world, reported) => {
    const { events } = planOf({ ...world, pods: [GOING] });
    expect(events.map(({ reason }) => reason).filter((reason) => reason === 'PodStuckTerminating')).toEqual(reported);
  });

  it.each<[string, PlainWorld, reported: number]>([
    ['the job has no timeout', { lostNodes: lost(-600) }, 0],
    ['the operator may not delete it, which is reported', { runPolicy: TIMEOUT }, 1],
    ['the timeout is not over', { runPolicy: TIMEOUT, lostNodes: lost(-50) }, 0],
  ])('is kept when %s', (_what, world, reported) => {
    const plan = planOf({ ...world, pods: [GOING] });
    const warnings = plan.events.filter(({ reason }) => reason === 'LostNodeTimeoutIgnored');
    expect([plan.forced, warnings.length]).toEqual([[], reported]);
    expect(
      warnings.every(({ dedupKey, note }) => dedupKey !== undefined && note.includes('--force-delete-pods-on-')),
    ).toBe(true);
  });
});

describe.each([-300, 0, 300])('a pod on a lost node, by a clock that is %i s ahead', (aheadSeconds) => {
  const nodes = lost(-60 - aheadSeconds);
  const pod = { node: 'n1', deleted: -60 - aheadSeconds, grace: 30 };
  const planAt = (stateAges: PlainWorld['stateAges']) =>
    planOf({
      ...{ roles: [{ name: 'Worker', replicas: 1 }], pods: [pod], runPolicy: { ...TIMEOUT, suspend: true } },
      ...{ lostNodes: nodes, stateAges: stateAges! },
    });

  it.each<[what: string, lostFor: number, deletedFor: number, requeueAfterMs: number]>([
    ['before its node has been seen lost for the timeout', 59, 60, 1000],
    ['during its grace period', 600, 29, 1000],
    ['when the operator has just seen both', 0, 0, 60_000],
  ])('is not deleted by force %s', (_what, lostFor, deletedFor, requeueAfterMs) => {
    const plan = planAt(seenFor(lostFor, deletedFor, nodes));
    expect([plan.forced, plan.requeueAfterMs]).toEqual([[], requeueAfterMs]);
  });

  it('is deleted by force when both times are over', () => {
    expect(planAt(seenFor(60, 30, nodes)).forced).toHaveLength(1);
  });
});

it('indexes a pod by its node, and ignores pods without one', () => {
  expect(nodeOf(plainPod({ node: 'n1' }))).toEqual(['n1']);
  expect(nodeOf(plainPod())).toEqual([]);
});

describe('a node', () => {
  const node = (status: string, more: object = {}): Node => ({
    metadata: { name: 'n1', uid: 'u', resourceVersion: '7', labels: { zone: 'a' } },
    status: {
      conditions: [
        { type: 'MemoryPressure', status: 'False' },
        { type: 'Ready', status, lastTransitionTime: at(-9), ...more },
      ],
      images: [{ names: ['registry.example/large:1'] }],
    },
  });

  it.each([
    ['True', undefined],
    ['False', NOW - 9000],
    ['Unknown', NOW - 9000],
  ])('whose Ready is %s is lost since %s', (status, sinceMs) => {
    expect(lostSinceMs(node(status))).toBe(sinceMs);
    expect(lostSinceMs(trimNode(node(status)))).toBe(sinceMs);
  });

  it('without a Ready condition is not lost', () => {
    expect(lostSinceMs({})).toBeUndefined();
  });

  it('is cached with its name and Ready condition only', () => {
    expect(trimNode(node('True', { message: 'kubelet is posting ready status' }))).toEqual({
      metadata: { name: 'n1', uid: 'u', resourceVersion: '7' },
      status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: at(-9) }] },
    });
  });
});
