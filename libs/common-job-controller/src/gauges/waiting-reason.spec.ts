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
const failing = (reason: ReplicaFailureReason): JobStatus => ({
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
  ['has not been reconciled yet', {}, 'Starting'],
  ['has succeeded', { status: ended('Succeeded') }, undefined],
  ['has failed', { status: ended('Failed'), spec: { suspend: true } }, undefined],
  ['is deleted', { deleted: true }, undefined],
  ['is managed by another controller', { spec: { managedBy: 'kueue.x-k8s.io/multikueue' } }, undefined],
  ['is suspended', { spec: { suspend: true }, status: failing('FailedCreate') }, 'Suspended'],
  ['waits in a queue of Kueue', { status: suspendedBy('Queued') }, 'Queued'],
  ['was evicted by Kueue', { status: suspendedBy('Evicted') }, 'Evicted'],
  ['is resumed after that', { status: suspendedBy('Queued', 'False') }, 'Starting'],
  ['runs with all its replicas', { status: counts(2), pods: [{}, RUNNING] }, undefined],
  ['runs, and some replicas have succeeded', { status: counts(1, 1), pods: [RUNNING] }, undefined],
  [
    'runs with all its replicas, and lacks an optional object',
    { status: { ...failing('NameTaken'), ...counts(2) } },
    undefined,
  ],
  [
    'runs with one replica, while the other starts',
    { status: counts(1), pods: [RUNNING, { phase: 'Pending' }] },
    'Starting',
  ],
  ['cannot be planned, although it runs', { status: { ...counts(2), ...failing('PlanningFailed') } }, 'PlanningFailed'],
  ['lacks a reference', { status: failing('ReferenceNotFound') }, 'Reference'],
  ['is refused its pods', { status: failing('FailedCreate') }, 'Refused'],
  ['is refused a change of its objects', { status: failing('FailedUpdate') }, 'Refused'],
  ['is refused a deletion of its objects', { status: failing('FailedDelete') }, 'Refused'],
  ['has a name conflict', { status: failing('NameTaken') }, 'NameTaken'],
  ['has a pod group that is not admitted', { status: waits('PodGroup') }, 'PodGroup'],
  ['has an unschedulable pod', { status: waits('Unschedulable') }, 'Unschedulable'],
  ['has a pod without a report', { status: waits('NoReport') }, 'NoReport'],
  ['has a pod with scheduling gates', { status: waits('SchedulingGated') }, 'SchedulingGated'],
  ['has no image', { status: waits('Image') }, 'Image'],
  ['lacks a Secret', { status: waits('Container') }, 'Container'],
  ['has a container in a crash loop', { status: waits('CrashLoop') }, 'CrashLoop'],
  ['has a role that waits for another', { status: waits('StartOrder') }, 'StartOrder'],
  [
    'waits for a reason of a later release',
    { status: { conditions: [{ type: 'Waiting', status: 'True', reason: 'Later' }] } },
    'Starting',
  ],
  [
    'runs with all its replicas, one of them in a crash loop',
    { status: { ...counts(2), conditions: [{ type: 'Waiting', status: 'True', reason: 'CrashLoop' }] } },
    'CrashLoop',
  ],
  ['has a pod that is being deleted', { pods: [{ deleted: -10 }] }, 'Deletion'],
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
    'has ended its back-off',
    { status: { ...created, restarts: [{ role: 'Worker', indexes: '0', failures: 3, lastFailureTime: at(-50) }] } },
    'Starting',
  ],
  [
    'waits for several reasons',
    {
      status: {
        ...created,
        conditions: [...(failing('FailedCreate').conditions ?? []), ...(waits('Image').conditions ?? [])],
      },
      pods: [{ index: 1, deleted: -10 }],
    },
    'Refused',
  ],
  ['waits for several reasons of its pods', { status: waits('Image'), pods: [{ index: 1, deleted: -10 }] }, 'Image'],
];

describe('waitingReason', () => {
  it.each(CASES)('is read from the status and pods of a job that %s', (_case, each, reason) => {
    expect(reasonOf(each)).toBe(reason);
  });

  it('has a test case for each reason', () => {
    const reasons = new Set(CASES.map(([, , reason]) => reason));
    expect(Object.keys(WAITING_REASONS).filter((reason) => !reasons.has(reason as WaitingReason))).toEqual([]);
  });

  it('of a job with an unreadable manifest is that of its conditions', () => {
    const adapter: FrameworkAdapter = {
      ...plainAdapter({}),
      read: () => {
        throw new TypeError('no spec');
      },
    };
    const manifest = manifestOf({ status: failing('ReferenceNotFound') });
    const kind = stillKind(adapter, { jobs: [manifest] });
    const around = { kinds: [kind], gang: undefined, nowMs: NOW };
    expect(waitingReason(seenJob(kind, manifest), around)).toBe('Reference');
  });

  it('of a job that owns a job of another kind is that of the owned job', () => {
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
