import type { JobCondition, JobStatus, Pod, ReplicaFailureReason, VolcanoPodGroup } from '@muster/job-api';
import { WAITING_REASONS } from '@muster/metrics';
import { describe, expect, it } from 'vitest';
import { PLAIN_JOBS, plainAdapter, type PlainRole } from '../../test-support/plain-adapter.ts';
import { at, JOB, NOW, plainPod, type PlainPod } from '../../test-support/plain-pod.ts';
import { stillKind } from '../../test-support/still-caches.ts';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import { VOLCANO } from '../gang/volcano.ts';
import { ownerReference } from '../model/ownership.ts';
import type { JobManifest } from '../model/training-job.ts';
import { seenJob } from './seen-jobs.ts';
import type { WaitingReason } from '../pods/start-reason.ts';
import { waitingReason } from './waiting-reason.ts';

interface Case {
  readonly status?: JobStatus;
  readonly spec?: object;
  readonly deleted?: boolean;
  readonly pods?: readonly (PlainPod | Pod)[];
  readonly group?: VolcanoPodGroup;
  readonly gang?: boolean;
  /** Default: two workers. */
  readonly roles?: readonly PlainRole[];
}

const OWNER = ownerReference({ resource: PLAIN_JOBS, metadata: JOB });

function manifestOf({ status, spec, deleted = false }: Case): JobManifest {
  return {
    metadata: { ...JOB, ...(deleted && { deletionTimestamp: at(0) }) },
    spec: { runPolicy: { suspend: false, ...spec } },
    ...(status && { status }),
  };
}

function reasonOf(each: Case): WaitingReason | undefined {
  const manifest = manifestOf(each);
  const pods = (each.pods ?? []).map((pod) => ('metadata' in pod ? pod : plainPod(pod as PlainPod)));
  const objects = each.group === undefined ? [] : [each.group];
  const owned = [
    { kind: { resource: VOLCANO.groups.resource, endsWithRun: true, trim: (object: object) => object }, objects },
  ];
  const kind = stillKind(plainAdapter(each.roles === undefined ? { workers: 2 } : { roles: each.roles }), {
    jobs: [manifest],
    pods,
    owned,
  });
  const gang = each.gang === true || each.group !== undefined ? VOLCANO : undefined;
  return waitingReason(seenJob(kind, manifest), { kinds: [kind], gang, nowMs: NOW });
}

const created: JobStatus = { state: 'Created', conditions: [{ type: 'Created', status: 'True' }] };
const told = (reason: ReplicaFailureReason): JobStatus => ({
  ...created,
  conditions: [{ type: 'ReplicaFailure', status: 'True', reason }, ...(created.conditions ?? [])],
});
const counts = (active: number, succeeded = 0): JobStatus => ({
  ...created,
  state: 'Running',
  replicaStatuses: { Worker: { active, succeeded } },
});
const ended = (type: 'Succeeded' | 'Failed'): JobStatus => ({ state: type, conditions: [{ type, status: 'True' }] });

function waitingIn(reason: string, message?: string): Pod {
  const pod = plainPod({ phase: 'Pending' });
  const waiting = { reason, ...(message !== undefined && { message }) };
  const container = { name: 'main', image: '', imageID: '', ready: false, restartCount: 0, state: { waiting } };
  return { ...pod, status: { ...pod.status, containerStatuses: [container] } };
}

function gated(): Pod {
  const pod = plainPod({ phase: 'Pending' });
  const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }];
  return { ...pod, status: { phase: 'Pending', conditions } };
}

function group(phase: string, conditions: object[] = []): VolcanoPodGroup {
  return {
    metadata: { name: 'job', namespace: JOB.namespace, ownerReferences: [OWNER] },
    spec: {},
    status: { phase, conditions },
  };
}

const COMPLAINT = [{ type: 'Unschedulable', status: 'True', reason: 'NotEnoughResources', message: '0/3 nodes' }];
const RUNNING: PlainPod = { index: 1 };

const ordered = {
  roles: ['Master', 'Worker'].map((name) => ({ name, replicas: 1 })),
  spec: { startOrder: [{ role: 'Worker', dependsOn: ['Master'] }] },
};

const inPods = {
  ...ordered,
  spec: { startOrder: [{ role: 'Worker', dependsOn: ['Master'], initContainer: { port: 9 } }] },
};

function inRole(role: string, pod: Pod): Pod {
  return { ...plainPod({ role, phase: 'Pending' }), ...(pod.status && { status: pod.status }) };
}

function suspendedBy(reason: 'Queued' | 'Evicted', status: 'True' | 'False' = 'True'): JobStatus {
  return { conditions: [{ type: 'Suspended', status, reason }] };
}

const CASES: readonly [string, Case, WaitingReason | undefined][] = [
  ['nobody has looked at', {}, 'Starting'],
  ['has ended well', { status: ended('Succeeded') }, undefined],
  ['has ended badly', { status: ended('Failed'), spec: { suspend: true } }, undefined],
  ['is deleted', { deleted: true }, undefined],
  ['somebody else runs', { spec: { managedBy: 'kueue.x-k8s.io/multikueue' } }, undefined],
  ['is suspended', { spec: { suspend: true }, status: told('FailedCreate') }, 'Suspended'],
  ['waits in a queue of Kueue', { status: suspendedBy('Queued') }, 'Queued'],
  ['was evicted by Kueue', { status: suspendedBy('Evicted') }, 'Evicted'],
  ['is resumed after that', { status: suspendedBy('Queued', 'False') }, 'Starting'],
  ['runs with all its replicas', { status: counts(2), pods: [{}, RUNNING] }, undefined],
  ['runs, and some of it is done', { status: counts(1, 1), pods: [RUNNING] }, undefined],
  [
    'runs with all its replicas, and lacks what it can do without',
    { status: { ...told('NameTaken'), ...counts(2) } },
    undefined,
  ],
  ['runs with one, while the other starts', { status: counts(1), pods: [RUNNING, { phase: 'Pending' }] }, 'Starting'],
  ['cannot be planned, though it runs', { status: { ...counts(2), ...told('PlanningFailed') } }, 'PlanningFailed'],
  ['lacks a reference', { status: told('ReferenceNotFound') }, 'Reference'],
  ['may not have its pods', { status: told('FailedCreate') }, 'Refused'],
  ['may not change what it has', { status: told('FailedUpdate') }, 'Refused'],
  ['may not delete what it has', { status: told('FailedDelete') }, 'Refused'],
  ['has a name that is taken', { status: told('NameTaken') }, 'NameTaken'],
  ['has no pod group yet', { gang: true }, 'PodGroup'],
  ['has a pod group that is not let in', { group: group('Pending') }, 'PodGroup'],
  ['has a pod group that cannot be placed', { group: group('Inqueue', COMPLAINT) }, 'Unschedulable'],
  ['has a pod group that is let in', { group: group('Inqueue') }, 'Starting'],
  ['has a pod that no node takes', { pods: [RUNNING, { phase: 'Pending', unplaced: '0/3 nodes' }] }, 'Unschedulable'],
  ['has a pod with scheduling gates', { pods: [gated()] }, 'SchedulingGated'],
  ['has no image', { pods: [waitingIn('ImagePullBackOff', 'Back-off pulling image')] }, 'Image'],
  ['has an image whose name is none', { pods: [waitingIn('InvalidImageName')] }, 'Image'],
  ['lacks a Secret', { pods: [waitingIn('CreateContainerConfigError', 'secret "x" not found')] }, 'Container'],
  ['has a container that is being made', { pods: [waitingIn('ContainerCreating')] }, 'Starting'],
  [
    'has a container that fails again and again',
    { pods: [waitingIn('CrashLoopBackOff', 'back-off 5m0s')] },
    'CrashLoop',
  ],
  ['has a command that is not there', { pods: [waitingIn('RunContainerError', 'exec: "trian"')] }, 'CrashLoop'],
  [
    'runs with all its replicas, one of which fails again and again',
    { status: { ...counts(2), conditions: [{ type: 'Waiting', status: 'True', reason: 'CrashLoop' }] } },
    'CrashLoop',
  ],
  ['has a pod that is going', { pods: [{ deleted: -10 }] }, 'Deletion'],
  [
    'has a pod of an earlier job of its name',
    { pods: [{ phase: 'Succeeded', exit: 0, owner: { uid: 'other' } }] },
    'Deletion',
  ],
  [
    'has failed several times in a row',
    { status: { ...created, restarts: [{ role: 'Worker', indexes: '0', failures: 3, lastFailureTime: at(-5) }] } },
    'Backoff',
  ],
  [
    'may be tried again now',
    { status: { ...created, restarts: [{ role: 'Worker', indexes: '0', failures: 3, lastFailureTime: at(-50) }] } },
    'Starting',
  ],
  ['has a role that waits for another', { ...ordered, pods: [{ role: 'master', phase: 'Pending' }] }, 'StartOrder'],
  [
    'has a role that waits in its pods, which are about to be made',
    { ...inPods, pods: [{ role: 'master', phase: 'Pending' }] },
    'Starting',
  ],
  ['has no role that waits any more', { ...ordered, pods: [{ role: 'master' }] }, 'Starting'],
  [
    'has a role that waits for another, which has no image',
    { ...ordered, pods: [inRole('master', waitingIn('ErrImagePull', 'no such image'))] },
    'Image',
  ],
  [
    'waits for several things',
    { status: told('FailedCreate'), pods: [waitingIn('ImagePullBackOff', 'x'), { index: 1, deleted: -10 }] },
    'Refused',
  ],
  [
    'waits for several things of its pods',
    { pods: [waitingIn('ImagePullBackOff', 'x'), { index: 1, phase: 'Pending', unplaced: '0/3 nodes' }] },
    'Unschedulable',
  ],
];

describe('waitingReason', () => {
  it.each(CASES)('of a job that %s', (_case, each, reason) => {
    expect(reasonOf(each)).toBe(reason);
  });

  it('has a case for each reason', () => {
    const reasons = new Set(CASES.map(([, , reason]) => reason));
    expect(Object.keys(WAITING_REASONS).filter((reason) => !reasons.has(reason as WaitingReason))).toEqual([]);
  });

  it('of a job whose manifest cannot be read is what it says itself', () => {
    const adapter: FrameworkAdapter = {
      ...plainAdapter({}),
      read: () => {
        throw new TypeError('no spec');
      },
    };
    const manifest = manifestOf({ status: told('ReferenceNotFound') });
    const kind = stillKind(adapter, { jobs: [manifest] });
    const around = { kinds: [kind], gang: VOLCANO, nowMs: NOW };
    expect(waitingReason(seenJob(kind, manifest), around)).toBe('Reference');
  });

  it('of a job that has made one of another kind is what that one waits for', () => {
    const maker: FrameworkAdapter = {
      ...plainAdapter({ roles: [] }),
      resource: { ...PLAIN_JOBS, kind: 'Maker', plural: 'makers' },
    };
    const plain = plainAdapter({});
    const makers: JobManifest[] = [
      { metadata: { ...JOB, name: 'maker', uid: 'uid-maker' }, spec: {}, status: created },
    ];
    const ownerReferences = [
      { apiVersion: 'test.muster.dev/v1', kind: 'Maker', name: 'maker', uid: 'uid-maker', controller: true },
    ];
    const owned = manifestOf({});
    const jobs = [{ ...owned, metadata: { ...owned.metadata, ownerReferences } }];
    const unplaced = plainPod({ phase: 'Pending', unplaced: '0/3 nodes' });
    const adapters = [maker, plain];
    const kinds = [
      stillKind(maker, { jobs: makers }, adapters),
      stillKind(plain, { jobs, pods: [unplaced] }, adapters),
    ] as const;
    const reason = (condition?: JobCondition) => {
      const status = { ...created, ...(condition && { conditions: [condition] }) };
      return waitingReason(seenJob(kinds[0], { ...makers[0]!, status }), { kinds, gang: undefined, nowMs: NOW });
    };
    expect(reason()).toBe('Unschedulable');
    expect(reason({ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate' })).toBe('Refused');
  });
});
