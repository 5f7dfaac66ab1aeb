/** A case for each row of a RayJob's state machine. */
import type { RayCluster } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import {
  after,
  HEAD,
  NOT_FOUND,
  observe,
  readyCluster,
  recordOf,
  reports,
  silent,
  START_MS,
} from '../../test-support/ray-jobs.ts';
import { learnedRecord } from './observed-record.ts';
import { rayClusterName } from './ray-job-names.ts';
import { nextState, RAY_JOB_TRANSITIONS, transitionFrom } from './ray-job-state.ts';
import { rayJobStatus, type RayJobRecord } from './ray-job-status.ts';

type Given = Parameters<typeof observe>[0];

/** The record of a submitted job that Ray has reported as running. */
const SEEN: Partial<RayJobRecord> = { jobStatus: 'RUNNING', rayClusterStatus: { state: 'ready', head: HEAD } };

const OTHER_HEAD = readyCluster({ status: { head: { ...HEAD, podName: 'mnist-abcde-head-1' } } });
/** It was ready once; then its head failed. */
const UNREADY = readyCluster({
  status: {
    conditions: [
      { type: 'HeadPodReady', status: 'False', reason: 'ContainersNotReady', message: 'no', lastTransitionTime: '' },
    ],
  },
});
const NO_HEAD = readyCluster({ status: { head: { serviceName: HEAD.serviceName } } });
const EVICTED = { conditions: [{ type: 'Suspended' as const, status: 'True' as const, reason: 'Evicted' }] };
const TOLERANT = { ...readyCluster().spec, gcsFaultToleranceOptions: { redisAddress: 'redis:6379' } };
const ENDED = { message: 'BackoffLimitExceeded' };

/** By the row's condition: the observation, and the expected record. */
const CASES: [when: string, what: string, given: Given, expected: Partial<RayJobRecord>][] = [
  [
    'the job is new, or is tried again',
    'a new job gets its names',
    { record: { jobDeploymentStatus: '', attempt: 0 }, cluster: undefined, submitter: undefined },
    {
      jobDeploymentStatus: 'Initializing',
      attempt: 1,
      startTime: after(60),
      jobId: rayClusterName({ name: 'mnist', uid: 'u-1', attempt: 1 }),
      rayClusterName: rayClusterName({ name: 'mnist', uid: 'u-1', attempt: 1 }),
    },
  ],
  [
    'the job is new, or is tried again',
    'a new job on a selected cluster',
    { record: { jobDeploymentStatus: '' }, spec: { clusterSelector: { 'ray.io/cluster': 'shared' }, jobId: 'mine' } },
    { jobDeploymentStatus: 'Initializing', rayClusterName: 'shared', jobId: 'mine' },
  ],
  [
    'the manifest is valid',
    '',
    { record: { jobDeploymentStatus: 'ValidationFailed' }, cluster: undefined, submitter: undefined },
    { jobDeploymentStatus: '' },
  ],
  [
    'the manifest is valid, and objects from before are left',
    '',
    { record: { jobDeploymentStatus: 'ValidationFailed', message: 'spec: no' } },
    { jobDeploymentStatus: 'Retrying', message: 'its manifest has been corrected' },
  ],
  [
    'Ray reports SUCCEEDED or STOPPED',
    'and the submitter has ended',
    {
      record: SEEN,
      answer: reports('SUCCEEDED', START_MS + 55_000),
      submitter: { end: { ...ENDED, hasFailed: false } },
    },
    {
      jobDeploymentStatus: 'Complete',
      jobStatus: 'SUCCEEDED',
      endTime: after(60),
      succeeded: 1,
      failed: 0,
      message: 'it is SUCCEEDED',
      rayJobInfo: { startTime: after(1), endTime: after(55) },
    },
  ],
  [
    'Ray reports SUCCEEDED or STOPPED',
    '`ray job stop` is no failure',
    { spec: { submissionMode: 'HTTPMode' }, record: SEEN, answer: reports('STOPPED'), submitter: undefined },
    { jobDeploymentStatus: 'Complete', jobStatus: 'STOPPED', succeeded: 0 },
  ],
  [
    'Ray reports SUCCEEDED or STOPPED',
    'the result counts, not that the submitter was lost',
    { record: SEEN, answer: reports('SUCCEEDED'), submitter: { end: { ...ENDED, hasFailed: true } } },
    { jobDeploymentStatus: 'Complete' },
  ],
  [
    'Ray reports SUCCEEDED or STOPPED',
    'the submitter has not ended for five minutes',
    { record: SEEN, answer: reports('SUCCEEDED', START_MS), nowMs: START_MS + 300_000 },
    { jobDeploymentStatus: 'Complete' },
  ],
  [
    'Ray reports SUCCEEDED or STOPPED',
    'a deadline that passes while the log is written fails no job',
    { spec: { activeDeadlineSeconds: 60 }, record: SEEN, answer: reports('SUCCEEDED', START_MS + 59_000) },
    { jobDeploymentStatus: 'Complete' },
  ],
  [
    'Ray reports SUCCEEDED or STOPPED',
    'it is not suspended any more',
    { spec: { suspend: true }, record: SEEN, answer: reports('SUCCEEDED', START_MS + 59_000) },
    { jobDeploymentStatus: 'Complete' },
  ],
  [
    'Ray reports FAILED',
    'a sidecar does not wait without a submitter',
    { spec: { submissionMode: 'SidecarMode' }, record: SEEN, answer: reports('FAILED'), submitter: undefined },
    { jobDeploymentStatus: 'Failed', reason: 'AppFailed', message: 'it is FAILED', failed: 1, endTime: after(60) },
  ],
  [
    'spec.backoffLimit allows another attempt',
    'the failed attempt is counted',
    { spec: { backoffLimit: 2 }, record: { ...SEEN, failed: 1 }, answer: reports('FAILED'), submitter: undefined },
    { jobDeploymentStatus: 'Retrying', reason: 'AppFailed', failed: 2 },
  ],
  [
    'spec.backoffLimit is reached',
    '',
    { spec: { backoffLimit: 2 }, record: { ...SEEN, failed: 2 }, answer: reports('FAILED'), submitter: undefined },
    { jobDeploymentStatus: 'Failed', failed: 3 },
  ],
  [
    'Ray has reported the end, and the submitter still writes the log',
    'the loss of the cluster does not change the result',
    { record: { ...SEEN, jobStatus: 'SUCCEEDED', rayJobInfo: { endTime: after(59) } }, cluster: undefined },
    { jobDeploymentStatus: 'Running', jobStatus: 'SUCCEEDED' },
  ],
  [
    'spec.suspend is true',
    'while it starts',
    { spec: { suspend: true }, record: { jobDeploymentStatus: 'Initializing' } },
    { jobDeploymentStatus: 'Suspending' },
  ],
  [
    'spec.suspend is true',
    'while it runs',
    { spec: { suspend: true }, record: SEEN, answer: reports('RUNNING') },
    { jobDeploymentStatus: 'Suspending' },
  ],
  [
    'spec.activeDeadlineSeconds have passed',
    'remaining retries do not matter',
    { spec: { activeDeadlineSeconds: 60, backoffLimit: 3 }, record: SEEN, answer: reports('RUNNING') },
    {
      jobDeploymentStatus: 'Failed',
      reason: 'DeadlineExceeded',
      jobStatus: 'RUNNING',
      message: `The job has not ended in 60 s (spec.activeDeadlineSeconds) since its start at ${after(0)}`,
    },
  ],
  [
    'spec.preRunningDeadlineSeconds have passed',
    'the message has what it waited for',
    {
      spec: { preRunningDeadlineSeconds: 60 },
      record: { jobDeploymentStatus: 'Initializing', dashboardURL: undefined as never },
      cluster: readyCluster({
        status: {
          state: '',
          conditions: [
            { type: 'HeadPodReady', status: 'False', reason: 'ImagePullBackOff', message: '', lastTransitionTime: '' },
          ],
        },
      }),
    },
    {
      jobDeploymentStatus: 'Failed',
      reason: 'PreRunningDeadlineExceeded',
      message:
        'The job does not run 60 s (spec.preRunningDeadlineSeconds) after its start: it waited for RayCluster mnist-abcde to be ready (its head: ImagePullBackOff)',
    },
  ],
  [
    'SidecarMode: Ray has the job, or its submitter has ended',
    'a short job may end before its cluster is ready',
    {
      spec: { submissionMode: 'SidecarMode' },
      record: { jobDeploymentStatus: 'Initializing' },
      cluster: readyCluster({ status: { state: '' } }),
      answer: reports('SUCCEEDED'),
    },
    { jobDeploymentStatus: 'Running', jobStatus: 'SUCCEEDED' },
  ],
  [
    'SidecarMode: Ray has the job, or its submitter has ended',
    'one that could not submit keeps the head from becoming ready',
    {
      spec: { submissionMode: 'SidecarMode' },
      record: { jobDeploymentStatus: 'Initializing' },
      cluster: readyCluster({ status: { state: '' } }),
      submitter: { end: { ...ENDED, hasFailed: true } },
    },
    { jobDeploymentStatus: 'Running' },
  ],
  [
    'InteractiveMode: the cluster is ready',
    '',
    { spec: { submissionMode: 'InteractiveMode' }, record: { jobDeploymentStatus: 'Initializing' } },
    { jobDeploymentStatus: 'Waiting' },
  ],
  [
    'K8sJobMode: the submitter exists',
    '',
    { record: { jobDeploymentStatus: 'Initializing' } },
    {
      jobDeploymentStatus: 'Running',
      rayClusterStatus: { state: 'ready', head: HEAD, endpoints: { dashboard: '8265' } },
    },
  ],
  [
    'HTTPMode, SidecarMode: the cluster is ready',
    '',
    { spec: { submissionMode: 'HTTPMode' }, record: { jobDeploymentStatus: 'Initializing' }, submitter: undefined },
    { jobDeploymentStatus: 'Running' },
  ],
  [
    'spec.jobId is given',
    '',
    {
      spec: { submissionMode: 'InteractiveMode', jobId: 'by-hand' },
      record: { jobDeploymentStatus: 'Waiting', jobId: undefined as never },
    },
    { jobDeploymentStatus: 'Running', jobId: 'by-hand' },
  ],
  [
    'the cluster is gone',
    '',
    { record: SEEN, cluster: undefined, answer: reports('RUNNING') },
    {
      jobDeploymentStatus: 'Failed',
      reason: 'AppFailed',
      jobStatus: 'FAILED',
      message: 'RayCluster mnist-abcde has been deleted while the job ran on it',
    },
  ],
  [
    'a queue has taken back the quota of the cluster',
    'its head was deleted for that',
    { record: SEEN, cluster: { ...NO_HEAD, status: { ...NO_HEAD.status, muster: EVICTED } } },
    { jobDeploymentStatus: 'Retrying', message: 'a queue has taken back the quota of RayCluster mnist-abcde' },
  ],
  [
    'SidecarMode: the head pod is gone, and the submitter with it',
    'fault tolerance does not restore the submitter',
    {
      spec: { submissionMode: 'SidecarMode' },
      record: SEEN,
      cluster: { ...NO_HEAD, spec: TOLERANT },
      submitter: undefined,
    },
    {
      jobDeploymentStatus: 'Failed',
      reason: 'AppFailed',
      message: 'The head pod mnist-abcde-head-0 is gone, and the submitter with it',
    },
  ],
  [
    'the head pod is gone, and there is no GCS fault tolerance',
    'another one is there',
    { record: SEEN, cluster: OTHER_HEAD, answer: silent() },
    { jobDeploymentStatus: 'Failed', reason: 'AppFailed', jobStatus: 'FAILED' },
  ],
  [
    'the head pod is gone, and there is no GCS fault tolerance',
    'none is there',
    { record: SEEN, cluster: NO_HEAD, spec: { backoffLimit: 1 } },
    { jobDeploymentStatus: 'Retrying', reason: 'AppFailed' },
  ],
  [
    'Ray no longer has the job, and there is no GCS fault tolerance',
    "the head's container was restarted in place",
    { record: SEEN, answer: NOT_FOUND },
    {
      jobDeploymentStatus: 'Failed',
      reason: 'AppFailed',
      message:
        'Ray no longer has job mnist-abcde, because its head was restarted: without GCS fault tolerance (spec.gcsFaultToleranceOptions) Ray loses its jobs with the head',
    },
  ],
  [
    "with GCS fault tolerance: the node of the job's driver is gone",
    'Ray reports forever that it runs',
    {
      record: SEEN,
      cluster: { ...OTHER_HEAD, spec: TOLERANT },
      answer: reports('RUNNING'),
      isDriverNodeDead: true,
    },
    { jobDeploymentStatus: 'Failed', reason: 'AppFailed', jobStatus: 'FAILED' },
  ],
  [
    'the submitter has failed, and Ray does not have the job',
    'without fault tolerance',
    { answer: NOT_FOUND, submitter: { end: { ...ENDED, hasFailed: true } } },
    {
      jobDeploymentStatus: 'Failed',
      reason: 'SubmissionFailed',
      message: 'The submitter has failed: BackoffLimitExceeded. See its log',
    },
  ],
  [
    'the submitter has failed, and Ray does not have the job',
    'with fault tolerance, also for a job that Ray had',
    {
      record: SEEN,
      cluster: readyCluster({ spec: TOLERANT }),
      answer: NOT_FOUND,
      submitter: { end: { ...ENDED, hasFailed: true } },
    },
    { jobDeploymentStatus: 'Failed', reason: 'SubmissionFailed' },
  ],
  [
    'the submitter has failed, and Ray does not have the job',
    'Ray has never confirmed the submission, and does not answer',
    {
      answer: silent(),
      submitter: { end: { ...ENDED, hasFailed: true } },
    },
    { jobDeploymentStatus: 'Failed', reason: 'SubmissionFailed' },
  ],
  [
    'the submitter has ended, and Ray does not have the job',
    '',
    { answer: NOT_FOUND, submitter: { end: { ...ENDED, hasFailed: false } } },
    { jobDeploymentStatus: 'Failed', reason: 'AppFailed' },
  ],
  [
    'the submitter has ended, and Ray, which has never confirmed the submission, has not answered for 30 s since',
    '',
    {
      answer: silent(),
      submitter: { end: { ...ENDED, hasFailed: false } },
    },
    { jobDeploymentStatus: 'Failed', reason: 'JobDeploymentStatusTransitionGracePeriodExceeded' },
  ],
  [
    'K8sJobMode: the submitter is gone, and Ray does not have the job',
    '',
    { answer: NOT_FOUND, submitter: undefined },
    { jobDeploymentStatus: 'Failed', reason: 'SubmissionFailed' },
  ],
  [
    'HTTPMode: the dashboard refuses the job',
    '',
    {
      spec: { submissionMode: 'HTTPMode' },
      answer: NOT_FOUND,
      submission: { kind: 'Refused', problem: 'no such runtime environment' },
    },
    { jobDeploymentStatus: 'Failed', reason: 'SubmissionFailed', message: 'no such runtime environment' },
  ],
  [
    'HTTPMode: the job could not be submitted for too long',
    '',
    {
      spec: { submissionMode: 'HTTPMode' },
      record: { jobStatusCheckFailureStartTime: after(0) },
      answer: NOT_FOUND,
      submission: { kind: 'Unanswered', problem: 'no agent' },
      nowMs: START_MS + 300_000,
    },
    {
      jobDeploymentStatus: 'Failed',
      reason: 'SubmissionFailed',
      message: `The job could not be submitted since ${after(0)}: no agent`,
    },
  ],
  [
    'the dashboard has not reported the status of the job for too long',
    'a retry would only wait again',
    {
      spec: { backoffLimit: 1 },
      record: { ...SEEN, jobStatusCheckFailureStartTime: after(0) },
      answer: silent(),
      nowMs: START_MS + 300_000,
    },
    { jobDeploymentStatus: 'Failed', reason: 'JobStatusCheckTimeoutExceeded' },
  ],
  [
    'the dashboard has not reported the status of the job for too long',
    'with fault tolerance only after half an hour',
    {
      record: { ...SEEN, jobStatusCheckFailureStartTime: after(0) },
      cluster: readyCluster({ spec: TOLERANT }),
      answer: NOT_FOUND,
      nowMs: START_MS + 1_800_000,
    },
    { jobDeploymentStatus: 'Failed', reason: 'JobStatusCheckTimeoutExceeded' },
  ],
  [
    'cluster and submitter are gone',
    'a suspended job keeps only its counts',
    {
      spec: { suspend: true },
      record: { ...SEEN, jobDeploymentStatus: 'Suspending', failed: 1 },
      cluster: undefined,
      submitter: undefined,
    },
    { jobDeploymentStatus: 'Suspended', jobStatus: '', failed: 1, attempt: 1 },
  ],
  [
    'cluster and submitter are gone',
    'a selected cluster is kept',
    {
      spec: { clusterSelector: { 'ray.io/cluster': 'shared' } },
      record: { ...SEEN, jobDeploymentStatus: 'Retrying', failed: 1 },
      submitter: undefined,
    },
    { jobDeploymentStatus: '', jobStatus: '', failed: 1 },
  ],
  ['spec.suspend is false', '', { record: { jobDeploymentStatus: 'Suspended' } }, { jobDeploymentStatus: '' }],
];

/** The matching transitions: two if an attempt fails. */
function transitionsOf(given: Given): (string | undefined)[] {
  const observed = observe(given);
  const known = learnedRecord(observed);
  const first = transitionFrom(known.jobDeploymentStatus, { ...observed, known });
  if (first?.to !== 'AttemptFailed') return [first?.when];
  const failed = { ...known, failed: (known.failed ?? 0) + 1 };
  return [first.when, transitionFrom(first.to, { ...observed, known: failed })?.when];
}

describe('a RayJob', () => {
  it.each(CASES)('%s: %s', (when, _what, given, expected) => {
    expect(transitionsOf(given)).toContain(when);
    expect(nextState(observe(given)).record).toMatchObject(expected);
  });

  it('has a case here for every transition', () => {
    const rows = RAY_JOB_TRANSITIONS.map(({ when }) => when);
    expect(new Set(CASES.map(([when]) => when))).toEqual(new Set(rows));
  });
});

describe('a RayJob does not change its state', () => {
  it.each<[what: string, given: Given, waitsFor: RegExp | undefined, recheckAfterMs?: number]>([
    [
      'until its cluster is created',
      { record: { jobDeploymentStatus: 'Initializing', dashboardURL: undefined as never }, cluster: undefined },
      /^RayCluster mnist-abcde to be created$/,
    ],
    [
      'until the selected cluster exists',
      {
        spec: { clusterSelector: { 'ray.io/cluster': 'mnist-abcde' } },
        record: { jobDeploymentStatus: 'Initializing' },
        cluster: undefined,
      },
      /^RayCluster mnist-abcde to be created, which spec.clusterSelector names$/,
    ],
    [
      'until its submitter is created',
      { record: { jobDeploymentStatus: 'Initializing' }, submitter: undefined },
      /^Job mnist, the submitter, to be created$/,
    ],
    [
      'until its cluster is ready, and no longer than its deadline',
      {
        spec: { preRunningDeadlineSeconds: 90, activeDeadlineSeconds: 600 },
        record: { jobDeploymentStatus: 'Initializing' },
        cluster: readyCluster({ status: { state: '' } }),
        submitter: undefined,
      },
      /to be ready$/,
      30_000,
    ],
    ...[{}, { clusterSelector: { 'ray.io/cluster': 'mnist-abcde' } }, { submissionMode: 'HTTPMode' as const }].map(
      (spec): [string, Given, RegExp] => [
        `until the head of a cluster that was ready is ready again, with ${JSON.stringify(spec)}`,
        { spec, record: { jobDeploymentStatus: 'Initializing' }, cluster: UNREADY, submitter: undefined },
        /^RayCluster mnist-abcde to be ready \(its head: ContainersNotReady, no\)$/,
      ],
    ),
    [
      'until it has an id',
      { spec: { submissionMode: 'InteractiveMode' }, record: { jobDeploymentStatus: 'Waiting' } },
      /^spec.jobId: submit the job to http:\/\/mnist-abcde-head-svc/,
    ],
    ...(
      [
        ['has failed', { end: { ...ENDED, hasFailed: true } }],
        ['has succeeded', { end: { ...ENDED, hasFailed: false } }],
        ['was deleted', undefined],
      ] as const
    ).flatMap(([end, submitter]): [string, Given, RegExp, number?][] => [
      ...(['PENDING', 'RUNNING'] as const).map((status): [string, Given, RegExp] => [
        `while Ray reports ${status}, although its submitter ${end}`,
        { record: SEEN, answer: reports(status), submitter, nowMs: START_MS + 3_600_000 },
        /to end/,
      ]),
      [
        `while Ray does not answer, until the limit for that, although its submitter ${end}`,
        {
          record: { ...SEEN, jobStatusCheckFailureStartTime: after(3500) },
          answer: silent(),
          submitter,
          nowMs: START_MS + 3_600_000,
        },
        /^an answer of the dashboard/,
        200_000,
      ],
      [
        `until the first request to Ray, although its submitter ${end}`,
        { record: { jobStatus: '' }, submitter, nowMs: START_MS + 3_600_000 },
        /^Ray to report/,
      ],
    ]),
    ['until Ray reports it', { answer: NOT_FOUND }, /^Ray to report job mnist-abcde/],
    ['while it runs', { record: SEEN, answer: reports('RUNNING') }, /^Ray job mnist-abcde to end$/],
    [
      'while its log is written',
      { record: SEEN, answer: reports('SUCCEEDED', START_MS + 50_000) },
      /^the submitter of mnist to write/,
      290_000,
    ],
    [
      'while Ray has not answered for less than 30 s since its submitter failed',
      {
        answer: silent(5, 29_999),
        submitter: { end: { ...ENDED, hasFailed: true } },
      },
      /^an answer of the dashboard/,
      300_000,
    ],
    [
      'while the dashboard does not answer, for at most five minutes',
      { record: SEEN, answer: silent() },
      /^an answer of the dashboard, mnist.*did not respond within 2 s$/,
      300_000,
    ],
    [
      'when a new operator gets no answer once',
      { record: { ...SEEN, jobStatusCheckFailureStartTime: after(-900) }, answer: silent(1) },
      /^an answer of the dashboard/,
    ],
    [
      'before the first request',
      { record: { ...SEEN, jobStatusCheckFailureStartTime: after(-900) } },
      /^Ray job mnist-abcde to end$/,
    ],
    [
      'with fault tolerance when its head is replaced',
      { record: SEEN, cluster: { ...OTHER_HEAD, spec: TOLERANT }, answer: silent() },
      /^an answer/,
      1_800_000,
    ],
    [
      'with fault tolerance when its driver ran elsewhere',
      { record: SEEN, cluster: { ...OTHER_HEAD, spec: TOLERANT }, answer: reports('RUNNING') },
      /to end$/,
    ],
    [
      'when its head is replaced before Ray has reported it',
      { record: { rayClusterStatus: { head: HEAD } }, cluster: OTHER_HEAD, answer: NOT_FOUND },
      /^Ray to report/,
    ],
    [
      'when the cluster reports no head',
      { record: SEEN, cluster: { ...readyCluster(), status: { state: 'ready' } }, answer: reports('RUNNING') },
      /to end$/,
    ],
    [
      'while an answer is older than the submission',
      {
        spec: { submissionMode: 'HTTPMode' },
        record: { jobStatus: 'PENDING' },
        submitter: undefined,
        answer: { kind: 'NotFound', ageMs: 2000 },
        submission: { kind: 'Accepted', ageMs: 1000 },
      },
      /to end$/,
      300_000,
    ],
    ...[{ suspend: true }, { activeDeadlineSeconds: 60 }].map((spec): [string, Given, RegExp] => [
      `until the first answer about its end, with ${JSON.stringify(spec)}`,
      { spec, record: SEEN },
      /to end$/,
    ]),
    [
      'suspending until all objects are deleted, even if spec.suspend is false again',
      { record: { jobDeploymentStatus: 'Suspending' }, spec: { suspend: false } },
      /^RayCluster mnist-abcde and Job mnist to be deleted$/,
    ],
    ['suspended', { record: { jobDeploymentStatus: 'Suspended' }, spec: { suspend: true } }, /^spec.suspend/],
    ['when it is complete', { record: { jobDeploymentStatus: 'Complete' }, spec: { suspend: true } }, undefined],
  ])('%s', (_what, given, waitsFor, recheckAfterMs) => {
    const observed = observe(given);
    const step = nextState(observed);
    expect(step.record.jobDeploymentStatus).toBe(observed.record.jobDeploymentStatus);
    if (waitsFor === undefined) expect(step.waitsFor).toBeUndefined();
    else expect(step.waitsFor).toMatch(waitsFor);
    expect(step.recheckAfterMs).toBe(recheckAfterMs);
  });
});

describe('the deadlines of a RayJob whose cluster is in a queue', () => {
  const suspension = (status: 'True' | 'False', reason: string, seconds: number) =>
    readyCluster({
      status: {
        state: '',
        muster: { conditions: [{ type: 'Suspended', status, reason, lastTransitionTime: after(seconds) }] },
      },
    });
  const admitted = suspension('False', 'RayClusterResumed', 1000);
  const begun = (cluster: RayCluster, seconds: number, record: Partial<RayJobRecord> = {}) => ({
    record: { jobDeploymentStatus: 'Initializing' as const, dashboardURL: undefined as never, ...record },
    ...{ cluster, submitter: undefined, nowMs: START_MS + seconds * 1000 },
  });

  describe.each([
    ['activeDeadlineSeconds', 'DeadlineExceeded'],
    ['preRunningDeadlineSeconds', 'PreRunningDeadlineExceeded'],
  ] as const)('%s', (limit, reason) => {
    const spec = { [limit]: 60 };

    it.each(['Queued', 'Evicted'])('does not count while the cluster is %s', (why) => {
      const step = nextState(observe({ spec, ...begun(suspension('True', why, 0), 100_000) }));
      expect(step.record).toMatchObject({ jobDeploymentStatus: 'Initializing', startTime: after(0) });
      expect(step.recheckAfterMs).toBeUndefined();
      expect(step.waitsFor).toMatch(/queue/);
    });

    it('counts from the admission of the cluster', () => {
      const early = nextState(observe({ spec, ...begun(admitted, 1059) }));
      expect(early).toMatchObject({ recheckAfterMs: 1000, record: { startTime: after(1000) } });
      expect(early.record.jobDeploymentStatus).toBe('Initializing');
      const late = nextState(observe({ spec, ...begun(admitted, 1060, early.record) }));
      expect(late.record).toMatchObject({ jobDeploymentStatus: 'Failed', reason });
    });

    it('counts from the start of a job on a selected cluster that was admitted before', () => {
      const record = { startTime: after(2000) };
      const early = nextState(observe({ spec, ...begun(admitted, 2059, record) }));
      expect(early).toMatchObject({ recheckAfterMs: 1000, record });
    });
  });
});

describe('the record of a RayJob', () => {
  it('has the time since when the dashboard is silent, until an answer', () => {
    const silentSince = nextState(observe({ record: SEEN, answer: silent() })).record;
    expect(silentSince.jobStatusCheckFailureStartTime).toBe(after(60));
    const later = { record: silentSince, nowMs: START_MS + 90_000 };
    expect(nextState(observe({ ...later, answer: silent() })).record.jobStatusCheckFailureStartTime).toBe(after(60));
    const { record } = nextState(observe({ ...later, answer: reports('RUNNING') }));
    expect(record).not.toHaveProperty('jobStatusCheckFailureStartTime');
  });

  it("keeps Ray's last report of an ended job", () => {
    const record = { ...SEEN, jobStatus: 'SUCCEEDED' as const, rayJobInfo: { endTime: after(59) } };
    const step = nextState(observe({ record, answer: NOT_FOUND, cluster: OTHER_HEAD }));
    expect(step.record).toMatchObject({ jobDeploymentStatus: 'Running', jobStatus: 'SUCCEEDED' });
  });

  it("follows the cluster's, except for the name of the last head", () => {
    const { record } = nextState(observe({ cluster: NO_HEAD, record: { rayClusterStatus: { head: HEAD } } }));
    expect(record.rayClusterStatus?.head).toEqual(HEAD);
  });

  it('has the address of the dashboard when the cluster is ready', () => {
    const before = { jobDeploymentStatus: 'Initializing' as const, dashboardURL: undefined as never };
    const cluster = readyCluster({ status: { endpoints: { dashboard: '9000' } } });
    expect(nextState(observe({ record: before, cluster, submitter: undefined })).record.dashboardURL).toBe(
      'mnist-abcde-head-svc.team.svc.cluster.local:9000',
    );
    for (const notReady of [readyCluster({ status: { state: '' } }), UNREADY]) {
      expect(nextState(observe({ record: before, cluster: notReady, submitter: undefined })).record.dashboardURL).toBe(
        undefined,
      );
    }
  });

  it('is stored in upstream’s form, with the number of the attempt', () => {
    expect(rayJobStatus(recordOf({ jobStatus: '', jobDeploymentStatus: '' }))).not.toHaveProperty('jobStatus');
    expect(rayJobStatus(recordOf({ jobStatus: 'RUNNING' }))).toEqual({
      jobId: 'mnist-abcde',
      rayClusterName: 'mnist-abcde',
      dashboardURL: 'mnist-abcde-head-svc.team.svc.cluster.local:8265',
      startTime: after(0),
      attempt: 1,
      jobStatus: 'RUNNING',
      jobDeploymentStatus: 'Running',
    });
  });
});

describe('a RayJob in HTTPMode', () => {
  const HTTP = { spec: { submissionMode: 'HTTPMode' as const }, submitter: undefined };

  it.each<[what: string, given: Given, submits: boolean]>([
    ['that Ray does not have is submitted', { ...HTTP, answer: NOT_FOUND }, true],
    ['whose state is unknown is not submitted', HTTP, false],
    ['that Ray has is not submitted', { ...HTTP, answer: reports('PENDING') }, false],
    [
      'that was accepted is not submitted again',
      { ...HTTP, answer: NOT_FOUND, submission: { kind: 'Accepted', ageMs: 0 } },
      false,
    ],
    ['of another mode is not submitted', { answer: NOT_FOUND }, false],
  ])('%s', (_what, given, submits) => {
    expect(nextState(observe(given)).submits).toBe(submits);
  });
});
