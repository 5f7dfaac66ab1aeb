/** Which objects of an ended RayJob are deleted, and when. */
import { describe, expect, it } from 'vitest';
import { after, jobSpec, recordOf, START_MS } from '../../test-support/ray-jobs.ts';
import { afterTheEnd, type Deletion } from './deletion.ts';
import { keptObjects, type KeptObjects } from './kept-objects.ts';
import type { JobDeploymentStatus, RayJobRecord } from './ray-job-status.ts';

type Spec = Parameters<typeof jobSpec>[0];

const SUCCEEDED: Partial<RayJobRecord> = { jobDeploymentStatus: 'Complete', jobStatus: 'SUCCEEDED', endTime: after(0) };
const FAILED: Partial<RayJobRecord> = { jobDeploymentStatus: 'Failed', jobStatus: 'FAILED', endTime: after(0) };
const TOO_LATE: Partial<RayJobRecord> = { jobDeploymentStatus: 'Failed', jobStatus: 'RUNNING', endTime: after(0) };
const STOPPED: Partial<RayJobRecord> = { jobDeploymentStatus: 'Complete', jobStatus: 'STOPPED', endTime: after(0) };

const RULES: Spec = {
  deletionStrategy: {
    deletionRules: [
      { policy: 'DeleteWorkers', condition: { jobStatus: 'FAILED', ttlSeconds: 10 } },
      { policy: 'DeleteSelf', condition: { jobStatus: 'FAILED', ttlSeconds: 1000 } },
      { policy: 'DeleteCluster', condition: { jobStatus: 'FAILED', ttlSeconds: 100 } },
      { policy: 'DeleteNone', condition: { jobStatus: 'SUCCEEDED' } },
      { policy: 'DeleteCluster', condition: { jobDeploymentStatus: 'Failed', ttlSeconds: 50 } },
    ],
  },
};
const LEGACY: Spec = {
  ttlSecondsAfterFinished: 30,
  deletionStrategy: { onSuccess: { policy: 'DeleteCluster' }, onFailure: { policy: 'DeleteWorkers' } },
};
const SHUTDOWN: Spec = { shutdownAfterJobFinishes: true };

describe('after the end of a RayJob', () => {
  it.each<[what: string, spec: Spec, record: Partial<RayJobRecord>, seconds: number, expected: Deletion]>([
    ['deletes nothing without rules', {}, SUCCEEDED, 1e6, { goes: 'Nothing' }],
    ['deletes the cluster at once', SHUTDOWN, SUCCEEDED, 0, { goes: 'Cluster' }],
    ['deletes the cluster of a failed job as well', SHUTDOWN, FAILED, 0, { goes: 'Cluster' }],
    ['deletes the cluster of a stopped job as well', SHUTDOWN, STOPPED, 0, { goes: 'Cluster' }],
    [
      'keeps the cluster for its time to live',
      { ...SHUTDOWN, ttlSecondsAfterFinished: 60 },
      FAILED,
      59,
      { goes: 'Nothing', nextMs: 1000 },
    ],
    [
      'deletes the cluster after its time to live',
      { ...SHUTDOWN, ttlSecondsAfterFinished: 60 },
      FAILED,
      60,
      { goes: 'Cluster' },
    ],
    ['deletes nothing while no rule is due', RULES, FAILED, 0, { goes: 'Nothing', nextMs: 10_000 }],
    ['applies the rule that is due', RULES, FAILED, 10, { goes: 'Workers', nextMs: 40_000 }],
    ['applies a rule for the state of the RayJob', RULES, TOO_LATE, 50, { goes: 'Cluster' }],
    ['applies the overdue rule that deletes most', RULES, FAILED, 120, { goes: 'Cluster', nextMs: 880_000 }],
    ['applies the last rule', RULES, FAILED, 2000, { goes: 'Job' }],
    ['ignores rules of another outcome', RULES, SUCCEEDED, 2000, { goes: 'Nothing' }],
    ['has no rule for a stopped job', RULES, STOPPED, 2000, { goes: 'Nothing' }],
    ['onSuccess', LEGACY, SUCCEEDED, 30, { goes: 'Cluster' }],
    ['onFailure', LEGACY, FAILED, 30, { goes: 'Workers' }],
    ['applies onFailure if Ray has not reported a failure', LEGACY, TOO_LATE, 29, { goes: 'Nothing', nextMs: 1000 }],
    ['applies neither onSuccess nor onFailure to a stopped job', LEGACY, STOPPED, 30, { goes: 'Nothing' }],
    [
      'deletes nothing without an end time',
      SHUTDOWN,
      { ...FAILED, endTime: undefined as never },
      30,
      { goes: 'Nothing' },
    ],
  ])('%s', (_what, spec, record, seconds, expected) => {
    expect(afterTheEnd(recordOf(record), jobSpec(spec), START_MS + seconds * 1000)).toEqual(expected);
  });
});

describe('the objects of a RayJob', () => {
  const KEEP: KeptObjects = { cluster: 'Keep', submitter: 'Keep', suspendsWorkers: false, deletesJob: false };

  it.each<[state: JobDeploymentStatus, expected: Partial<KeptObjects>]>([
    ['', { cluster: 'Delete', submitter: 'Delete' }],
    ['Initializing', { cluster: 'Make', submitter: 'Make' }],
    ['Waiting', { cluster: 'Make' }],
    ['Running', {}],
    ['Complete', {}],
    ['Failed', {}],
    ['ValidationFailed', {}],
    ['Suspending', { cluster: 'Delete', submitter: 'Delete' }],
    ['Suspended', { cluster: 'Delete', submitter: 'Delete' }],
    ['Retrying', { cluster: 'Delete', submitter: 'Delete' }],
  ])('in state "%s"', (jobDeploymentStatus, expected) => {
    const record = recordOf({ jobDeploymentStatus, endTime: after(0) });
    expect(keptObjects(record, jobSpec(), START_MS)).toEqual({ ...KEEP, ...expected });
  });

  it.each<[what: string, record: Partial<RayJobRecord>, spec: Spec, expected: Partial<KeptObjects>]>([
    ['creates nothing for a job that starts suspended', { jobDeploymentStatus: 'Initializing' }, { suspend: true }, {}],
    [
      'creates no submitter before the cluster is ready',
      { jobDeploymentStatus: 'Initializing', dashboardURL: undefined as never },
      {},
      { cluster: 'Make' },
    ],
    [
      'creates no submitter in other modes',
      { jobDeploymentStatus: 'Initializing' },
      { submissionMode: 'HTTPMode' },
      { cluster: 'Make' },
    ],
    [
      'does not change a selected cluster',
      { jobDeploymentStatus: 'Initializing' },
      { clusterSelector: { 'ray.io/cluster': 'shared' } },
      { submitter: 'Make' },
    ],
    [
      'does not change a selected cluster after the end',
      SUCCEEDED,
      { clusterSelector: { 'ray.io/cluster': 'shared' }, shutdownAfterJobFinishes: true },
      {},
    ],
    [
      'can delete a job and keep its cluster',
      FAILED,
      {
        clusterSelector: { 'ray.io/cluster': 'shared' },
        deletionStrategy: { deletionRules: [{ policy: 'DeleteSelf', condition: { jobStatus: 'FAILED' } }] },
      },
      { deletesJob: true },
    ],
    ['deletes the cluster, and keeps the submitter with its log', SUCCEEDED, SHUTDOWN, { cluster: 'Delete' }],
    ['deletes the workers', FAILED, { ...LEGACY, ttlSecondsAfterFinished: 0 }, { suspendsWorkers: true }],
    ['requests a reconcile run when more is due', FAILED, RULES, { recheckAfterMs: 10_000 }],
  ])('%s', (_what, record, spec, expected) => {
    expect(keptObjects(recordOf(record), jobSpec(spec), START_MS)).toEqual({ ...KEEP, ...expected });
  });
});
