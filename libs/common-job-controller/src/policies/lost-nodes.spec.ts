import type { Node } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { deletionOf, lossOf } from '../model/state-ages.ts';
import { at, NOW, plainPod, type PlainPod } from '../../test-support/plain-pod.ts';
import { namesOf, planOf, statusAfter, type PlainWorld } from '../../test-support/plain-world.ts';
import { lostSinceMs, nodeOf, trimNode } from './lost-nodes.ts';

const TIMEOUT = { lostNodeTimeoutSeconds: 60 };
const lost = (seconds: number) => new Map([['n1', NOW + seconds * 1000]]);
/** For how many seconds the operator has seen that node n1 is lost, and the deletion of the pod. */
const seenFor = (lostSeconds: number, deletedSeconds: number, nodes = lost(-lostSeconds)) =>
  new Map([
    [lossOf('n1', nodes.get('n1') ?? 0), lostSeconds * 1000],
    [deletionOf(plainPod()), deletedSeconds * 1000],
  ]);
/** It is being deleted, and its time of grace is over. */
const GOING: PlainPod = { node: 'n1', deleted: -300, grace: 30 };

const forcedOf = (plain: PlainWorld) => namesOf(planOf(plain).forced.map(({ object }) => object));

describe('a pod that is being deleted on a node that is not ready', () => {
  it.each<[string, PlainPod, seconds: number, forced: boolean, requeueAfterMs: number | undefined]>([
    ['is waited for before the timeout', GOING, -50, false, 10_000],
    ['is deleted by force after it', GOING, -60, true, undefined],
    ['is waited for in its time of grace', { ...GOING, deleted: -20 }, -600, false, 10_000],
    ['is waited for when its finalizers hold it, and no kubelet', { ...GOING, grace: 0 }, -600, false, undefined],
    ['is no matter when it is on another node', { ...GOING, node: 'n2' }, -600, false, undefined],
    ['is no matter when it has been placed on none', { deleted: -300 }, -600, false, undefined],
    ['is no matter when another owns it', { ...GOING, owner: { uid: 'other' } }, -600, false, undefined],
    ['is no matter when nobody deletes it', { node: 'n1' }, -600, false, undefined],
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

  it('is told of with its node, and since when that is lost', () => {
    const [deletion] = planOf({
      ...{ pods: [GOING], runPolicy: TIMEOUT, lostNodes: lost(-90) },
      stateAges: seenFor(90, 300),
    }).forced;
    expect(deletion?.event).toMatchObject({ type: 'Warning', reason: 'ForcedDeletePod' });
    expect(deletion?.event.note).toContain(`Pod job-worker-0 was deleted by force: its node n1`);
    expect(deletion?.event.note).toContain(at(-90));
  });

  it.each<[string, PlainWorld, string[]]>([
    ['who waits for its node to be lost long enough', { runPolicy: TIMEOUT, lostNodes: lost(-50) }, []],
    ['whose job does not ask for force', { lostNodes: lost(-50) }, ['PodStuckTerminating']],
    ['whose node is ready', { runPolicy: TIMEOUT, lostNodes: new Map() }, ['PodStuckTerminating']],
  ])('is told to somebody, as stuck, only where nobody else sees to it: one %s', (_what, world, told) => {
    const { events } = planOf({ ...world, pods: [GOING] });
    expect(events.map(({ reason }) => reason).filter((reason) => reason === 'PodStuckTerminating')).toEqual(told);
  });

  it.each<[string, PlainWorld, told: number]>([
    ['the job does not ask for it', { lostNodes: lost(-600) }, 0],
    ['the operator may not, which is told', { runPolicy: TIMEOUT }, 1],
    ['the operator may, and the timeout is not over', { runPolicy: TIMEOUT, lostNodes: lost(-50) }, 0],
  ])('is waited for when %s', (_what, world, told) => {
    const plan = planOf({ ...world, pods: [GOING] });
    const warnings = plan.events.filter(({ reason }) => reason === 'LostNodeTimeoutIgnored');
    expect([plan.forced, warnings.length]).toEqual([[], told]);
    expect(
      warnings.every(({ dedupKey, note }) => dedupKey !== undefined && note.includes('--force-delete-pods-on-')),
    ).toBe(true);
  });
});

/** By how many seconds the operator's clock is ahead of that of the control plane. */
describe.each([-300, 0, 300])('a pod on a lost node, by a clock that is %i s ahead', (aheadSeconds) => {
  const nodes = lost(-60 - aheadSeconds);
  const pod = { node: 'n1', deleted: -60 - aheadSeconds, grace: 30 };
  const planAt = (stateAges: PlainWorld['stateAges']) =>
    planOf({
      ...{ roles: [{ name: 'Worker', replicas: 1 }], pods: [pod], runPolicy: { ...TIMEOUT, suspend: true } },
      ...{ lostNodes: nodes, stateAges: stateAges! },
    });

  it.each<[what: string, lostFor: number, deletedFor: number, requeueAfterMs: number]>([
    ['before its node was seen lost for the timeout', 59, 60, 1000],
    ['in its time of grace', 600, 29, 1000],
    ['when both are new to the operator', 0, 0, 60_000],
  ])('is not deleted by force %s', (_what, lostFor, deletedFor, requeueAfterMs) => {
    const plan = planAt(seenFor(lostFor, deletedFor, nodes));
    expect([plan.forced, plan.requeueAfterMs]).toEqual([[], requeueAfterMs]);
  });

  it('is deleted by force when both are over', () => {
    expect(planAt(seenFor(60, 30, nodes)).forced).toHaveLength(1);
  });
});

it('finds a pod by the node that it is on, and none that has been placed on none', () => {
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

  it('that has not said anything yet is not lost', () => {
    expect(lostSinceMs({})).toBeUndefined();
  });

  it('is kept as its name and that condition', () => {
    expect(trimNode(node('True', { message: 'kubelet is posting ready status' }))).toEqual({
      metadata: { name: 'n1', uid: 'u', resourceVersion: '7' },
      status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: at(-9) }] },
    });
  });
});
