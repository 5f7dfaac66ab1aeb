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
    ['nothing goes that is not asked for', {}, SUCCEEDED, 1e6, { goes: 'Nothing' }],
    ['the cluster goes at once', SHUTDOWN, SUCCEEDED, 0, { goes: 'Cluster' }],
    ['of a failed job as well', SHUTDOWN, FAILED, 0, { goes: 'Cluster' }],
    ['of a stopped one as well', SHUTDOWN, STOPPED, 0, { goes: 'Cluster' }],
    [
      'it stays for its time to live',
      { ...SHUTDOWN, ttlSecondsAfterFinished: 60 },
      FAILED,
      59,
      { goes: 'Nothing', nextMs: 1000 },
    ],
    ['and goes then', { ...SHUTDOWN, ttlSecondsAfterFinished: 60 }, FAILED, 60, { goes: 'Cluster' }],
    ['of rules none is due yet', RULES, FAILED, 0, { goes: 'Nothing', nextMs: 10_000 }],
    ['of rules one is due', RULES, FAILED, 10, { goes: 'Workers', nextMs: 40_000 }],
    ['a rule may be of the RayJob', RULES, TOO_LATE, 50, { goes: 'Cluster' }],
    ['of several overdue rules the most far-reaching counts', RULES, FAILED, 120, { goes: 'Cluster', nextMs: 880_000 }],
    ['the last rule', RULES, FAILED, 2000, { goes: 'Job' }],
    ['rules of another end do not count', RULES, SUCCEEDED, 2000, { goes: 'Nothing' }],
    ['no rule speaks of a stopped job', RULES, STOPPED, 2000, { goes: 'Nothing' }],
    ['onSuccess', LEGACY, SUCCEEDED, 30, { goes: 'Cluster' }],
    ['onFailure', LEGACY, FAILED, 30, { goes: 'Workers' }],
    ['onFailure, where Ray has not said that the job failed', LEGACY, TOO_LATE, 29, { goes: 'Nothing', nextMs: 1000 }],
    ['neither of both', LEGACY, STOPPED, 30, { goes: 'Nothing' }],
    ['one without time', SHUTDOWN, { ...FAILED, endTime: undefined as never }, 30, { goes: 'Nothing' }],
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
    [
      'nothing is made of a job that is suspended as it begins',
      { jobDeploymentStatus: 'Initializing' },
      { suspend: true },
      {},
    ],
    [
      'no submitter is made before the cluster is ready',
      { jobDeploymentStatus: 'Initializing', dashboardURL: undefined as never },
      {},
      { cluster: 'Make' },
    ],
    [
      'no submitter is made in other modes',
      { jobDeploymentStatus: 'Initializing' },
      { submissionMode: 'HTTPMode' },
      { cluster: 'Make' },
    ],
    [
      'a cluster that is there is left alone',
      { jobDeploymentStatus: 'Initializing' },
      { clusterSelector: { 'ray.io/cluster': 'shared' } },
      { submitter: 'Make' },
    ],
    [
      'also after the end',
      SUCCEEDED,
      { clusterSelector: { 'ray.io/cluster': 'shared' }, shutdownAfterJobFinishes: true },
      {},
    ],
    [
      'a rule may delete a job whose cluster stays',
      FAILED,
      {
        clusterSelector: { 'ray.io/cluster': 'shared' },
        deletionStrategy: { deletionRules: [{ policy: 'DeleteSelf', condition: { jobStatus: 'FAILED' } }] },
      },
      { deletesJob: true },
    ],
    ['the cluster goes, and the submitter stays with its log', SUCCEEDED, SHUTDOWN, { cluster: 'Delete' }],
    ['the workers go', FAILED, { ...LEGACY, ttlSecondsAfterFinished: 0 }, { suspendsWorkers: true }],
    ['it is looked at again when more is due', FAILED, RULES, { recheckAfterMs: 10_000 }],
  ])('%s', (_what, record, spec, expected) => {
    expect(keptObjects(recordOf(record), jobSpec(spec), START_MS)).toEqual({ ...KEEP, ...expected });
  });
});
