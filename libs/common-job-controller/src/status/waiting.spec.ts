import type { JobStatus, VolcanoPodGroup } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { plainAdapter } from '../../test-support/plain-adapter.ts';
import { at, NOW, type PlainPod } from '../../test-support/plain-pod.ts';
import {
  conditionsOf,
  jobOf,
  planOf,
  SETTINGS,
  statusAfter,
  worldOf,
  type PlainWorld,
} from '../../test-support/plain-world.ts';
import { VOLCANO } from '../gang/volcano.ts';
import { NO_CONTEXT } from '../model/job-context.ts';
import { desiredOwnedResources, ownedKinds } from '../children/job-owned-resources.ts';
import { planJob } from '../reconcile/plan-job.ts';
import { planned } from '../../test-support/planned.ts';
import { withWaiting } from './waiting.ts';

const waitIn = (status: JobStatus | undefined) => status?.conditions?.find(({ type }) => type === 'Waiting');
const told = (status: JobStatus | undefined) => {
  const { reason, message } = waitIn(status) ?? {};
  return reason && [reason, message];
};

const unplaced = (index: number, words = 'no room'): PlainPod => ({ index, phase: 'Pending', unplaced: words });

/** Runs after it has failed. */
const restarted = (more: PlainPod = {}): PlainPod => ({
  ...{ restartPolicy: 'OnFailure', restarts: 4, exitBefore: 1, ...more },
});

const looping = (more: PlainPod = {}): PlainPod =>
  restarted({ waits: 'CrashLoopBackOff', words: 'back-off 40s restarting failed container', ...more });

const loops = (restarts: number, limit: string) =>
  `Pod job-worker-1, container main keeps failing: ${restarts} restarts; last exit code 1; backoffLimit is ${limit}`;

describe('the condition Waiting', () => {
  it.each<[what: string, world: PlainWorld, told: [reason: string, message: string] | undefined]>([
    ['nothing while pods are being made', { workers: 2 }, undefined],
    ['nothing while they start', { workers: 1, pods: [{ phase: 'Pending' }] }, undefined],
    ['nothing when all run', { workers: 2, pods: [{}, { index: 1 }] }, undefined],
    [
      'of a pod that no node takes, though others run',
      { workers: 3, pods: [{}, unplaced(1), unplaced(2)] },
      ['Unschedulable', 'Pod job-worker-1 cannot be placed on a node: no room'],
    ],
    [
      'of a container that its kubelet starts again and again, though all pods run',
      { workers: 2, pods: [{}, looping({ index: 1 })] },
      ['CrashLoop', loops(4, 'unset: it is restarted without end')],
    ],
    [
      'of one with a limit',
      { workers: 2, pods: [{}, looping({ index: 1 })], runPolicy: { backoffLimit: 9 } },
      ['CrashLoop', loops(4, '9')],
    ],
    [
      'of one that runs for a moment between two failures',
      { workers: 2, pods: [{}, restarted({ index: 1, started: -5 })] },
      ['CrashLoop', loops(4, 'unset: it is restarted without end')],
    ],
    [
      'of one whose command is not there',
      {
        workers: 1,
        pods: [{ waits: 'RunContainerError', words: 'exec: "trian": not found', restarts: 4 }],
      },
      [
        'CrashLoop',
        'Pod job-worker-0, container main keeps failing: 4 restarts; last exec: "trian": not found; backoffLimit is unset: it is restarted without end',
      ],
    ],
    [
      'nothing of one that runs for a minute after its last failure',
      {
        workers: 2,
        pods: [{}, restarted({ index: 1, started: -60 })],
        stateAges: new Map([['run 4 of main in uid-job-worker-1', 60_000]]),
      },
      undefined,
    ],
    [
      'nothing of one that has failed once',
      { workers: 2, pods: [{}, restarted({ index: 1, started: -5, restarts: 1 })] },
      undefined,
    ],
    [
      'first of a pod that no node takes',
      { workers: 2, pods: [unplaced(0), looping({ index: 1 })] },
      ['Unschedulable', 'Pod job-worker-0 cannot be placed on a node: no room'],
    ],
    ['nothing of one that is being deleted', { workers: 1, pods: [{ ...unplaced(0), deleted: -1 }] }, undefined],
    [
      'of a role that waits for another',
      {
        roles: [
          { name: 'Server', replicas: 1 },
          { name: 'Worker', replicas: 1 },
        ],
        runPolicy: { startOrder: [{ role: 'Worker', dependsOn: ['Server'] }] },
        pods: [{ role: 'server', phase: 'Pending' }],
      },
      ['StartOrder', 'No pods of Worker are made before 1 of Server is Running (now 0) (spec.runPolicy.startOrder).'],
    ],
    [
      'first of what keeps the awaited role from starting',
      {
        roles: [
          { name: 'Server', replicas: 1 },
          { name: 'Worker', replicas: 1 },
        ],
        runPolicy: { startOrder: [{ role: 'Worker', dependsOn: ['Server'] }] },
        pods: [{ ...unplaced(0), role: 'server' }],
      },
      ['Unschedulable', 'Pod job-server-0 cannot be placed on a node: no room'],
    ],
  ])('tells %s', (_what, world, wanted) => {
    expect(told(planOf(world).status)).toEqual(wanted);
  });

  it('tells what a gang waits for in its own words', () => {
    const adapter = plainAdapter({ workers: 2 });
    const kind = ownedKinds(adapter, VOLCANO).find(({ resource }) => resource === VOLCANO.groups.resource)!;
    const noRoom = { type: 'Unschedulable', status: 'True', reason: 'NotEnoughResources', message: 'no room for 2' };
    const statusOfGroup = (status: VolcanoPodGroup['status']) => {
      const groups = desiredOwnedResources(adapter, jobOf({ workers: 2 }), VOLCANO, [], NO_CONTEXT);
      const ownedResources = groups.map(({ object }) => ({ kind, object: { ...object, status } }));
      const world = { ...worldOf({ workers: 2 }), ownedResources };
      return told(planned(planJob(adapter, world, { ...SETTINGS, gang: VOLCANO })).status);
    };
    expect(statusOfGroup({ phase: 'Pending', conditions: [noRoom] })).toEqual([
      'PodGroup',
      expect.stringContaining('no room for 2'),
    ]);
    expect(statusOfGroup({ phase: 'Inqueue', conditions: [noRoom] })).toEqual([
      'Unschedulable',
      expect.stringContaining('no room for 2'),
    ]);
    expect(statusOfGroup({ phase: 'Running' })).toBeUndefined();
  });

  const waiting: PlainWorld = { workers: 2, pods: [{}, unplaced(1)] };

  it('stands before the others, behind ReplicaFailure alone, and is no state', () => {
    const refused: JobStatus = {
      conditions: [
        { type: 'ReplicaFailure', status: 'True' },
        { type: 'Created', status: 'True' },
      ],
    };
    const after = withWaiting(refused, { reason: 'Image', message: 'no such image' }, NOW);
    expect(conditionsOf(after)).toEqual(['ReplicaFailure=True', 'Waiting=True', 'Created=True']);
    expect(conditionsOf(statusAfter(waiting))).toEqual(['Waiting=True', 'Created=True', 'Running=True']);
    expect(statusAfter(waiting).state).toBe('Running');
    expect(statusAfter({ workers: 1, pods: [unplaced(0)] }).state).toBe('Created');
  });

  it('is looked at again when a container that has failed runs for a minute', () => {
    const seenFor = (ms: number) => ({ stateAges: new Map([['run 4 of main in uid-job-worker-0', ms]]) });
    const world: PlainWorld = { workers: 1, pods: [restarted({ started: -50 })], ...seenFor(50_000) };
    const plan = planOf(world);
    expect(plan.requeueAfterMs).toBe(10_000);
    const status = statusAfter(world);
    expect(conditionsOf(status)).toEqual(['Waiting=True', 'Created=True', 'Running=True']);
    const later = { ...world, status, now: 10, ...seenFor(60_000) };
    expect(conditionsOf(statusAfter(later))).toEqual(['Created=True', 'Running=True']);
  });

  it('goes when nothing is waited for any more, and with the end', () => {
    const status = statusAfter(waiting);
    expect(waitIn(planOf({ workers: 2, pods: [{}, { index: 1 }], status }).status)).toBeUndefined();
    const ended: PlainWorld = { workers: 2, pods: [{ phase: 'Failed', exit: 1 }, unplaced(1)], status };
    expect(conditionsOf(planOf(ended).status ?? {})).toEqual(['Created=True', 'Running=False', 'Failed=True']);
    const suspended = planOf({ ...waiting, runPolicy: { suspend: true }, status }).status;
    expect(waitIn(suspended)).toBeUndefined();
  });

  it('is not written again for new words before a minute has passed', () => {
    const status = statusAfter(waiting);
    const later = (now: number) => planOf({ workers: 2, pods: [{}, unplaced(1, 'still no room')], status, now }).status;
    expect(later(30)).toBeUndefined();
    expect(waitIn(later(61))).toMatchObject({
      message: 'Pod job-worker-1 cannot be placed on a node: still no room',
      lastUpdateTime: at(61),
      lastTransitionTime: at(-2),
    });
  });
});
