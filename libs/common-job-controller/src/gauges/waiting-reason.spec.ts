import type { JobCondition, JobStatus, ReplicaFailureReason } from '@muster/job-api';
import { WAITING_REASONS } from '@muster/metrics';
import { describe, expect, it } from 'vitest';
import { PLAIN_JOBS, plainAdapter } from '../../test-support/plain-adapter.ts';
import { at, JOB, NOW, plainPod, type PlainPod } from '../../test-support/plain-pod.ts';
import { stillKind } from '../../test-support/still-caches.ts';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { JobManifest } from '../model/training-job.ts';
import { seenJob } from './seen-jobs.ts';
import type { WaitingReason } from '../model/wait.ts';
import { waitingReason } from './waiting-reason.ts';

interface Case {
  readonly status?: JobStatus;
  readonly spec?: object;
  readonly deleted?: boolean;
  readonly pods?: readonly PlainPod[];
}

function manifestOf({ status, spec, deleted = false }: Case): JobManifest {
  return {
    metadata: { ...JOB, ...(deleted && { deletionTimestamp: at(0) }) },
    spec: { runPolicy: { suspend: false, ...spec } },
    ...(status && { status }),
  };
}

function reasonOf(each: Case): WaitingReason | undefined {
  const manifest = manifestOf(each);
  const kind = stillKind(plainAdapter({ workers: 2 }), { jobs: [manifest], pods: (each.pods ?? []).map(plainPod) });
  return waitingReason(seenJob(kind, manifest), { kinds: [kind], gang: undefined, nowMs: NOW });
}

const created: JobStatus = { state: 'Created', conditions: [{ type: 'Created', status: 'True' }] };
const told = (reason: ReplicaFailureReason): JobStatus => ({
  ...created,
  conditions: [{ type: 'ReplicaFailure', status: 'True', reason }, ...(created.conditions ?? [])],
});
const waits = (reason: WaitingReason): JobStatus => ({
  ...created,
  conditions: [{ type: 'Waiting', status: 'True', reason }, ...(created.conditions ?? [])],
});
const counts = (active: number, succeeded = 0): JobStatus => ({
  ...created,
  state: 'Running',
  replicaStatuses: { Worker: { active, succeeded } },
});
const ended = (type: 'Succeeded' | 'Failed'): JobStatus => ({ state: type, conditions: [{ type, status: 'True' }] });

const RUNNING: PlainPod = { index: 1 };

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
  ['has a pod group that is not let in', { status: waits('PodGroup') }, 'PodGroup'],
  ['has a pod that no node takes', { status: waits('Unschedulable') }, 'Unschedulable'],
  ['has a pod with scheduling gates', { status: waits('SchedulingGated') }, 'SchedulingGated'],
  ['has no image', { status: waits('Image') }, 'Image'],
  ['lacks a Secret', { status: waits('Container') }, 'Container'],
  ['has a container that fails again and again', { status: waits('CrashLoop') }, 'CrashLoop'],
  ['has a role that waits for another', { status: waits('StartOrder') }, 'StartOrder'],
  [
    'waits for a reason of a later release',
    { status: { conditions: [{ type: 'Waiting', status: 'True', reason: 'Later' }] } },
    'Starting',
  ],
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
  [
    'waits for several things',
    {
      status: {
        ...created,
        conditions: [...(told('FailedCreate').conditions ?? []), ...(waits('Image').conditions ?? [])],
      },
      pods: [{ index: 1, deleted: -10 }],
    },
    'Refused',
  ],
  ['waits for several things of its pods', { status: waits('Image'), pods: [{ index: 1, deleted: -10 }] }, 'Image'],
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
    const around = { kinds: [kind], gang: undefined, nowMs: NOW };
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
    const owned = manifestOf({ status: waits('Unschedulable') });
    const jobs = [{ ...owned, metadata: { ...owned.metadata, ownerReferences } }];
    const adapters = [maker, plain];
    const kinds = [stillKind(maker, { jobs: makers }, adapters), stillKind(plain, { jobs }, adapters)] as const;
    const reason = (condition?: JobCondition) => {
      const status = { ...created, ...(condition && { conditions: [condition] }) };
      return waitingReason(seenJob(kinds[0], { ...makers[0]!, status }), { kinds, gang: undefined, nowMs: NOW });
    };
    expect(reason()).toBe('Unschedulable');
    expect(reason({ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate' })).toBe('Refused');
  });
});
