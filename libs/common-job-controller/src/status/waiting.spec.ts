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
const waitingIn = (status: JobStatus | undefined) => {
  const { reason, message } = waitIn(status) ?? {};
  return reason && [reason, message];
};

const unplaced = (index: number, message = 'no room'): PlainPod => ({ index, phase: 'Pending', unplaced: message });

const silentFor = (who: string, ms: number) => new Map([[`no report of the ${who} on uid-job-worker-1`, ms]]);

const restarted = (more: PlainPod = {}): PlainPod => ({
  ...{ restartPolicy: 'OnFailure', restarts: 4, exitBefore: 1, ...more },
});

const looping = (more: PlainPod = {}): PlainPod =>
  restarted({ waits: 'CrashLoopBackOff', message: 'back-off 40s restarting failed container', ...more });

const loops = (restarts: number, limit: string) =>
  `Pod job-worker-1, container main keeps failing: ${restarts} restarts; last exit code 1; backoffLimit is ${limit}`;

describe('the condition Waiting', () => {
  it.each<[what: string, world: PlainWorld, reported: [reason: string, message: string] | undefined]>([
    ['nothing while pods are being created', { workers: 2 }, undefined],
    ['nothing while pods start', { workers: 1, pods: [{ phase: 'Pending' }] }, undefined],
    ['nothing when all pods run', { workers: 2, pods: [{}, { index: 1 }] }, undefined],
    [
      'a pod that fits no node, although others run',
      { workers: 3, pods: [{}, unplaced(1), unplaced(2)] },
      ['Unschedulable', 'Pod job-worker-1 cannot be placed on a node: no room'],
    ],
    [
      'a container in a crash loop, although all pods run',
      { workers: 2, pods: [{}, looping({ index: 1 })] },
      ['CrashLoop', loops(4, 'unset: restarts are unlimited')],
    ],
    [
      'a crash loop with a restart limit',
      { workers: 2, pods: [{}, looping({ index: 1 })], runPolicy: { backoffLimit: 9 } },
      ['CrashLoop', loops(4, '9')],
    ],
    [
      'a crash loop whose container runs briefly between failures',
      { workers: 2, pods: [{}, restarted({ index: 1, started: -5 })] },
      ['CrashLoop', loops(4, 'unset: restarts are unlimited')],
    ],
    [
      'a crash loop of a container whose command does not exist',
      {
        workers: 1,
        pods: [{ waits: 'RunContainerError', message: 'exec: "trian": not found', restarts: 4 }],
      },
      [
        'CrashLoop',
        'Pod job-worker-0, container main keeps failing: 4 restarts; last exec: "trian": not found; backoffLimit is unset: restarts are unlimited',
      ],
    ],
    [
      'nothing for a container that has run for a minute since its last failure',
      {
        workers: 2,
        pods: [{}, restarted({ index: 1, started: -60 })],
        stateAges: new Map([['run 4 of main in uid-job-worker-1', 60_000]]),
      },
      undefined,
    ],
    [
      'nothing for a container that has failed once',
      { workers: 2, pods: [{}, restarted({ index: 1, started: -5, restarts: 1 })] },
      undefined,
    ],
    [
      'a pod that fits no node before a crash loop',
      { workers: 2, pods: [unplaced(0), looping({ index: 1 })] },
      ['Unschedulable', 'Pod job-worker-0 cannot be placed on a node: no room'],
    ],
    [
      'a pod that no scheduler has placed for a minute',
      { workers: 2, pods: [{}, { index: 1, phase: 'Pending' }], stateAges: silentFor('scheduler', 60_000) },
      [
        'NoReport',
        'Pod job-worker-1 has no node, and no scheduler has reported why: check that default-scheduler (its schedulerName) runs and handles the pod',
      ],
    ],
    [
      'a pod on which the kubelet of its node has not reported for a minute',
      {
        workers: 2,
        pods: [{}, { index: 1, phase: 'Pending', node: 'n1' }],
        stateAges: silentFor('kubelet', 60_000),
      },
      [
        'NoReport',
        'Pod job-worker-1 was placed on node n1, whose kubelet has not reported on it: check that the node exists and is ready',
      ],
    ],
    [
      'nothing for a pod without a report in the first minute',
      { workers: 2, pods: [{}, { index: 1, phase: 'Pending' }], stateAges: silentFor('scheduler', 59_000) },
      undefined,
    ],
    [
      'nothing for a pod that its kubelet has accepted',
      {
        workers: 2,
        pods: [{}, { index: 1, phase: 'Pending', node: 'n1', accepted: -100 }],
        stateAges: silentFor('kubelet', 60_000),
      },
      undefined,
    ],
    ['nothing for a pod that is being deleted', { workers: 1, pods: [{ ...unplaced(0), deleted: -1 }] }, undefined],
    [
      'a role that waits for another',
      {
        roles: [
          { name: 'Server', replicas: 1 },
          { name: 'Worker', replicas: 1 },
        ],
        runPolicy: { startOrder: [{ role: 'Worker', dependsOn: ['Server'] }] },
        pods: [{ role: 'server', phase: 'Pending' }],
      },
      [
        'StartOrder',
        'No pods of Worker are created before 1 of Server is Running (now 0) (spec.runPolicy.startOrder).',
      ],
    ],
    [
      'what keeps an awaited role from starting before the start order',
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
  ])('reports %s', (_what, world, wanted) => {
    expect(waitingIn(planOf(world).status)).toEqual(wanted);
  });

  it("reports a gang's wait with the scheduler's message", () => {
    const adapter = plainAdapter({ workers: 2 });
    const kind = ownedKinds(adapter, VOLCANO).find(({ resource }) => resource === VOLCANO.groups.resource)!;
    const noRoom = { type: 'Unschedulable', status: 'True', reason: 'NotEnoughResources', message: 'no room for 2' };
    const statusOfGroup = (status: VolcanoPodGroup['status']) => {
      const groups = desiredOwnedResources(adapter, jobOf({ workers: 2 }), VOLCANO, [], NO_CONTEXT);
      const ownedResources = groups.map(({ object }) => ({ kind, object: { ...object, status } }));
      const world = { ...worldOf({ workers: 2 }), ownedResources };
      return waitingIn(planned(planJob(adapter, world, { ...SETTINGS, gang: VOLCANO })).status);
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

  it('precedes all conditions but ReplicaFailure, and is not a state', () => {
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

  it('is checked again when a failed container has run for a minute', () => {
    const seenFor = (ms: number) => ({ stateAges: new Map([['run 4 of main in uid-job-worker-0', ms]]) });
    const world: PlainWorld = { workers: 1, pods: [restarted({ started: -50 })], ...seenFor(50_000) };
    const plan = planOf(world);
    expect(plan.requeueAfterMs).toBe(10_000);
    const status = statusAfter(world);
    expect(conditionsOf(status)).toEqual(['Waiting=True', 'Created=True', 'Running=True']);
    const later = { ...world, status, now: 10, ...seenFor(60_000) };
    expect(conditionsOf(statusAfter(later))).toEqual(['Created=True', 'Running=True']);
  });

  it('is checked again when a pod has had no report for a minute', () => {
    const pods = [{}, { index: 1, phase: 'Pending' as const }];
    expect(planOf({ workers: 2, pods, stateAges: silentFor('scheduler', 20_000) }).requeueAfterMs).toBe(40_000);
    expect(planOf({ workers: 2, pods, stateAges: silentFor('scheduler', 60_000) }).requeueAfterMs).toBeUndefined();
  });

  it('is removed when the wait is over, and at the end of the job', () => {
    const status = statusAfter(waiting);
    expect(waitIn(planOf({ workers: 2, pods: [{}, { index: 1 }], status }).status)).toBeUndefined();
    const ended: PlainWorld = { workers: 2, pods: [{ phase: 'Failed', exit: 1 }, unplaced(1)], status };
    expect(conditionsOf(planOf(ended).status ?? {})).toEqual(['Created=True', 'Running=False', 'Failed=True']);
    const suspended = planOf({ ...waiting, runPolicy: { suspend: true }, status }).status;
    expect(waitIn(suspended)).toBeUndefined();
  });

  it('is not written again for a new message before a minute has passed', () => {
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
