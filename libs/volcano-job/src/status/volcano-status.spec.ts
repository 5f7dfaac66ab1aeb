import { readJob, type ReplicaPod } from '@muster/common-job-controller';
import type { JobStatus, Pod } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { PLAIN_PLUGIN, volcanoJob } from '../../test-support/volcano-jobs.ts';
import type { VolcanoTrainingJob } from '../model/read-volcano-job.ts';
import { volcanoJobAdapter } from '../volcano-job-adapter.ts';
import { volcanoStatus } from './volcano-status.ts';

const manifest = volcanoJob(
  { plugins: { tensorflow: [], env: [] }, minAvailable: 2 },
  { ps: {}, worker: { replicas: 3 } },
);
const job = readJob(volcanoJobAdapter(PLAIN_PLUGIN), manifest) as VolcanoTrainingJob;
const context = {
  pods: [],
  ownedResources: [],
  references: [],
  probeResults: new Map<string, never>(),
  stateAges: new Map(),
  nowMs: 0,
};
const UID = manifest.metadata?.uid ?? '';
const AT = '2030-01-01T12:00:00Z';

type State = ReplicaPod['state'];

function statusOf(record: JobStatus, ps: State, workers: readonly State[]) {
  const replicas = job.roles.flatMap((role) =>
    (role.name === 'ps' ? [ps] : workers).map((state, index) => ({
      role,
      index,
      state,
      ...(state !== 'missing' && { pod: {} }),
    })),
  );
  return volcanoStatus(record, { manifest, job, replicas, context });
}

const condition = (type: string, reason: string, status: 'True' | 'False' = 'True') => ({
  ...{ type, status, reason, message: `${reason}.`, lastTransitionTime: AT },
});
const CREATED = condition('Created', 'JobCreated');

describe('the status of a Volcano Job', () => {
  it('counts its pods, in total and by task', () => {
    const record = {
      conditions: [CREATED, condition('Running', 'JobRunning')],
      attempt: 1,
      replicaStatuses: { worker: { attempt: 1 } },
    };
    expect(statusOf(record, 'running', ['pending', 'failed', 'terminating'])).toEqual({
      state: { phase: 'Running', reason: 'JobRunning', message: 'JobRunning.', lastTransitionTime: AT },
      conditions: [
        { status: 'Pending', lastTransitionTime: AT },
        { status: 'Running', lastTransitionTime: AT },
      ],
      minAvailable: 2,
      ...{ pending: 1, running: 1, succeeded: 0, failed: 1, terminating: 1 },
      taskStatusCount: {
        ps: { phase: { Running: 1 } },
        worker: { phase: { Pending: 1, Failed: 1, Terminating: 1 } },
      },
      retryCount: 2,
      controlledResources: { 'plugin-tensorflow': 'tensorflow', 'plugin-svc': 'svc', 'plugin-env': 'env' },
    });
  });

  it.each<[phase: string, conditions: JobStatus['conditions'], ps: State]>([
    ['Pending', [], 'missing'],
    ['Pending', [CREATED], 'pending'],
    ['Running', [CREATED, condition('Running', 'JobRunning')], 'running'],
    [
      'Restarting',
      [CREATED, condition('Running', 'JobRunning', 'False'), condition('Restarting', 'JobRestarting')],
      'running',
    ],
    ['Completing', [CREATED, condition('Succeeded', 'JobSucceeded')], 'running'],
    ['Completed', [CREATED, condition('Succeeded', 'JobSucceeded')], 'missing'],
    ['Failed', [CREATED, condition('Failed', 'JobFailed')], 'running'],
    ['Terminating', [CREATED, condition('Failed', 'JobTerminated')], 'terminating'],
    ['Terminated', [CREATED, condition('Failed', 'JobTerminated')], 'missing'],
    ['Aborting', [CREATED, condition('Failed', 'JobAborted')], 'running'],
    ['Aborted', [CREATED, condition('Failed', 'JobAborted')], 'failed'],
  ])('is %s with the conditions %j and a pod that is %s', (phase, conditions, ps) => {
    expect(statusOf(conditions === undefined ? {} : { conditions }, ps, [])).toMatchObject({ state: { phase } });
  });

  it('is Aborting while a Job that was aborted still has pods', () => {
    const record = { conditions: [CREATED, condition('Suspended', 'JobSuspended')] };
    const ownerReferences = [{ apiVersion: '', kind: 'Job', name: 'pi', uid: UID, controller: true }];
    const pods = (['Running', 'Succeeded'] as const).map((phase) => ({
      metadata: { ownerReferences },
      status: { phase },
    }));
    const status = (left: readonly Pod[]) =>
      volcanoStatus(record, { manifest, job, replicas: [], context: { ...context, pods: left } });
    expect(status(pods)).toMatchObject({ state: { phase: 'Aborting' }, terminating: 1 });
    expect(status([])).toMatchObject({ state: { phase: 'Aborted' }, terminating: 0, taskStatusCount: {} });
  });

  it('exists for a Job that cannot be read', () => {
    const record = { conditions: [condition('Failed', 'InvalidSpec')] };
    expect(volcanoStatus(record, { manifest, job: undefined, replicas: [], context })).toMatchObject({
      state: { phase: 'Failed', reason: 'InvalidSpec' },
    });
  });
});
