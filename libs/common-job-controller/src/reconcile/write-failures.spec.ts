import { PODS, type JobStatus } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { plainAdapter } from '../../test-support/plain-adapter.ts';
import { JOB } from '../../test-support/plain-pod.ts';
import {
  conditionsOf,
  namesOf,
  planOf,
  statusAfter,
  worldOf,
  type PlainWorld,
} from '../../test-support/plain-world.ts';
import { NO_CHANGE, type Decision } from '../model/decision.ts';
import type { Write } from '../model/write.ts';
import { WORKLOAD_KINDS } from '../workloads/workloads.ts';
import type { WriteFailure } from '../world/world.ts';
import { withWriteFailures, writeRetryMs } from './write-failures.ts';

const QUOTA: WriteFailure = {
  verb: 'Create',
  kind: 'Pod',
  names: new Set(['job-worker-0']),
  reason: 'FailedCreate',
  message: 'pods "job-worker-0" is forbidden: exceeded quota: few, used: pods=3',
  isOptional: false,
  generation: 1,
  waitMs: 8000,
};
const job: PlainWorld = { workers: 2, runPolicy: { activeDeadlineSeconds: 5 } };
const refused = statusAfter({ ...job, writeFailures: [QUOTA] });
const failureOf = ({ conditions = [] }: JobStatus) => conditions.find(({ type }) => type === 'ReplicaFailure');

describe('planJob: refused writes', () => {
  it('are reported in a condition that is not a state, and retried until the deadline at the latest', () => {
    const plan = planOf({ ...job, writeFailures: [QUOTA] });
    expect(conditionsOf(refused)).toEqual(['ReplicaFailure=True', 'Created=True']);
    expect(failureOf(refused)).toMatchObject({ reason: 'FailedCreate', message: QUOTA.message });
    expect(refused.state).toBe('Created');
    expect([plan.create.pods, plan.requeueAfterMs, plan.pendingWrites]).toEqual([[], 5000, ['CreatePod']]);
  });

  it.each<[string, Partial<PlainWorld>, readonly string[]]>([
    ['while they wait', { writeFailures: [QUOTA] }, []],
    ['while they are tried again', { writeFailures: [{ ...QUOTA, waitMs: 0 }] }, ['job-worker-0', 'job-worker-1']],
    [
      'when only a number in the message has changed',
      { writeFailures: [{ ...QUOTA, message: QUOTA.message.replace('3', '4') }] },
      [],
    ],
    ['when the operator was restarted', {}, ['job-worker-0', 'job-worker-1']],
  ])('leave the status unchanged %s', (_when, world, pods) => {
    const plan = planOf({ ...job, status: refused, ...world });
    expect([plan.status, namesOf(plan.create.pods)]).toEqual([undefined, pods]);
  });

  it('are reported together with the counts of a deferred status write', () => {
    const running: PlainWorld = { workers: 3, pods: [{ phase: 'Running' }, { index: 1, phase: 'Running' }] };
    const status = statusAfter(running);
    const pods = [{ phase: 'Running' }, { index: 1, phase: 'Succeeded' }] as const;
    const since: PlainWorld = { ...running, status, pods };
    const failing = planOf({ ...since, writeFailures: [{ ...QUOTA, names: new Set(['job-worker-2']) }] });
    expect(failureOf(failing.status ?? {})).toMatchObject({ reason: 'FailedCreate' });
    expect(failing.status?.replicaStatuses).toMatchObject({ Worker: { active: 1, succeeded: 1 } });
  });

  it('are retried at once when the job is changed', () => {
    const plan = planOf({ ...job, status: refused, generation: 2, writeFailures: [QUOTA] });
    expect(namesOf(plan.create.pods)).toEqual(['job-worker-0', 'job-worker-1']);
  });

  it.each<[string, PlainWorld, readonly string[]]>([
    [
      'nothing is missing',
      { pods: [{ phase: 'Pending' }, { index: 1, phase: 'Pending' }], writeFailures: [QUOTA] },
      ['Created=True'],
    ],
    ['the job has ended', { now: 5, writeFailures: [QUOTA] }, ['Created=True', 'Failed=True']],
    [
      'the job is suspended',
      { runPolicy: { suspend: true }, writeFailures: [QUOTA] },
      ['Created=True', 'Suspended=True'],
    ],
    [
      'the spec turns out to be invalid',
      { problems: [{ path: 'spec', message: 'no' }], generation: 2 },
      ['Created=True', 'Failed=True'],
    ],
  ])('are no longer reported when %s', (_when, world, conditions) => {
    const { status = {}, pendingWrites } = planOf({ ...job, status: refused, ...world });
    expect(conditionsOf(status)).toEqual(conditions);
    expect(pendingWrites).not.toContain('CreatePod');
  });

  it('precede newer conditions', () => {
    const running = statusAfter({
      ...job,
      status: refused,
      pods: [{ index: 0, phase: 'Running' }],
      writeFailures: [QUOTA],
    });
    expect(conditionsOf(running)).toEqual(['ReplicaFailure=True', 'Created=True', 'Running=True']);
    expect(running.state).toBe('Running');
  });

  it('delay no other write if they are optional', () => {
    const plan = planOf({ ...job, writeFailures: [{ ...QUOTA, kind: 'HorizontalPodAutoscaler', isOptional: true }] });
    expect(namesOf(plan.create.pods)).toEqual(['job-worker-0', 'job-worker-1']);
  });

  it('are reported with the other owner for a name conflict', () => {
    const conflictingPods = new Map([['job-worker-1', 'Pod job-worker-1 already exists']]);
    const plan = planOf({ ...job, conflictingPods });
    expect(failureOf(plan.status ?? {})).toMatchObject({
      reason: 'NameTaken',
      message: 'Pod job-worker-1 already exists',
    });
    expect(namesOf(plan.create.pods)).toEqual(['job-worker-0']);
  });

  const DENIED = { ...QUOTA, message: 'denied', isOptional: true, names: new Set(['job-worker-0']) };
  const undeletable: WriteFailure = { ...DENIED, verb: 'Delete', reason: 'FailedDelete' };
  const orphans: PlainWorld = {
    ...job,
    pods: [{ owner: 'none' }, { index: 1, owner: 'none' }, { index: 2, owner: { uid: JOB.uid } }],
  };

  it('delay no other write if they are deletions or updates', () => {
    const unadoptable: WriteFailure = { ...DENIED, verb: 'Update', reason: 'FailedUpdate' };
    const plan = planOf({ ...orphans, workers: 4, writeFailures: [unadoptable, undeletable] });
    expect(namesOf(plan.adopt.pods)).toEqual(['job-worker-1']);
    expect(namesOf(plan.create.pods)).toEqual(['job-worker-3']);
    expect([...plan.pendingWrites].sort()).toEqual(['CreatePod', 'UpdatePod']);
    expect(failureOf(plan.status ?? {})).toMatchObject({ reason: 'FailedUpdate', message: 'denied' });
    expect(plan.requeueAfterMs).toBe(5000);
  });

  it("of one pod's deletion delay neither other deletions nor the end of the job", () => {
    const suspended: PlainWorld = {
      workers: 2,
      services: [],
      runPolicy: { suspend: true },
      pods: [{}, { index: 1 }],
      writeFailures: [undeletable],
    };
    const plan = planOf(suspended);
    expect(namesOf(plan.remove.pods)).toEqual(['job-worker-1']);
    expect(conditionsOf(plan.status ?? {})).toEqual(['ReplicaFailure=True', 'Created=True', 'Suspended=True']);
    expect(plan.requeueAfterMs).toBe(8000);
    const reported = statusAfter(suspended);
    expect(planOf({ ...suspended, status: reported, writeFailures: [] }).status).toBeUndefined();
    expect(conditionsOf(statusAfter({ ...suspended, status: reported, pods: [], writeFailures: [] }))).toEqual([
      'Created=True',
      'Suspended=True',
    ]);
  });

  it('are retried after seconds, then twice a minute, and after five minutes every three minutes', () => {
    expect([1, 2, 3, 4, 5, 9].map((failures) => writeRetryMs(failures, 0))).toEqual([
      2000, 4000, 8000, 16_000, 30_000, 30_000,
    ]);
    expect(writeRetryMs(12, 300_000)).toBe(180_000);
  });
});

describe('withWriteFailures', () => {
  const world = worldOf({ ...job, status: refused, writeFailures: [QUOTA] });

  it('keeps refused writes pending if the run decides only a part of the job', () => {
    const decision: Decision = { ...NO_CHANGE, isPartial: true };
    expect(withWriteFailures(plainAdapter(job), decision, world)).toEqual({ due: decision, open: ['CreatePod'] });
  });

  it.each<[what: string, conditions: JobStatus['conditions'], ops: string[]]>([
    ['suspends the Job of a job that its queue has stopped', [{ type: 'Suspended', status: 'True' }], ['patch']],
    ['does not change the Job of another job', [{ type: 'Created', status: 'True' }], []],
  ])('%s, although another write is refused', (_what, conditions = [], ops) => {
    const { resource } = WORKLOAD_KINDS.Job;
    const suspend: Write = { op: 'patch', resource, object: { metadata: { name: 'job-launcher' } }, patch: {} };
    const create: Write = { op: 'create', resource: PODS, object: { metadata: { name: 'job-worker-0' } } };
    const status = { before: refused, after: { ...refused, conditions } };
    const decision: Decision = { ...NO_CHANGE, status, writes: [suspend, create] };
    const { due } = withWriteFailures(plainAdapter(job), decision, world);
    expect(due.writes.map(({ op }) => op)).toEqual(ops);
  });
});
