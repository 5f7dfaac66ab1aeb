import type { FailureClass, JobStatus, Pod } from '@muster/job-api';
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { plainAdapter } from '../../test-support/plain-adapter.ts';
import { at, JOB, NOW, plainPod } from '../../test-support/plain-pod.ts';
import { stillKind } from '../../test-support/still-caches.ts';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { JobManifest } from '../model/training-job.ts';
import { exportJobGauges } from './job-gauges.ts';
import { exportPerJobGauges } from './per-job-gauges.ts';
import type { Surroundings } from './waiting-reason.ts';

const running: JobStatus = {
  state: 'Running',
  startTime: at(-120),
  restartCount: 2,
  disruptionCount: 1,
  replicaStatuses: { Worker: { active: 2 } },
  progress: { percent: 41.5, step: 415 },
};

const CRASH_LOOP = { type: 'Waiting', status: 'True', reason: 'CrashLoop', message: 'keeps failing' } as const;

function job(name: string, status: JobStatus, spec: object = {}, labels: Record<string, string> = {}): JobManifest {
  const metadata = { ...JOB, name, uid: `uid-of-${name}`, creationTimestamp: at(-300), labels };
  return { metadata, spec: { runPolicy: { suspend: false, ...spec } }, status };
}

const ofJob = (name: string, index: number, ready: boolean) =>
  plainPod({ job: name, name: `${name}-worker-${index}`, index, ready, owner: { uid: `uid-of-${name}`, name } });

const JOBS = [
  job('ends', { state: 'Succeeded', completionTime: at(-10), conditions: [{ type: 'Succeeded', status: 'True' }] }),
  job('runs', running, { progressDeadlineSeconds: 60 }, { 'kueue.x-k8s.io/queue-name': 'gpus' }),
  job('suspended', { state: 'Suspended' }, { suspend: true, schedulingPolicy: { queue: 'night' } }),
  job('waits', { state: 'Created' }),
];
const PODS = [ofJob('runs', 0, true), ofJob('runs', 1, false)];

async function exported(around: () => Surroundings | undefined) {
  const registry = new Registry();
  exportJobGauges(registry, around);
  exportPerJobGauges(registry, [], around);
  const text = (await registry.metrics()).replaceAll(/job_namespace="team",|framework="plain",|kind="PlainJob",?/g, '');
  return (name: string) =>
    text
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`))
      .map((line) => line.slice(name.length).replace(',}', '}'))
      .sort();
}

function aroundOf(adapter: FrameworkAdapter, jobs = JOBS): Surroundings {
  return { kinds: [stillKind(adapter, { jobs, pods: PODS })], gang: undefined, nowMs: NOW };
}

it('counts jobs and pods by state, phase and reason', async () => {
  const of = await exported(() => aroundOf(plainAdapter({ workers: 2 })));
  expect(of('muster_jobs')).toEqual([
    '{state="Created"} 1',
    '{state="Failing"} 1',
    '{state="Succeeded"} 1',
    '{state="Suspended"} 1',
  ]);
  expect(of('muster_job_pods')).toEqual(['{phase="Running"} 2']);
  expect(of('muster_jobs_waiting')).toEqual(['{reason="Starting"} 1', '{reason="Suspended"} 1']);
});

it('counts a pod once that two kinds of the operator have in caches of their own', async () => {
  const adapter = plainAdapter({ workers: 2 });
  const other = { ...adapter, resource: { ...adapter.resource, kind: 'OtherJob' } };
  const kinds = [stillKind(adapter, { jobs: JOBS, pods: PODS }), stillKind(other, { jobs: [], pods: PODS })];
  const of = await exported(() => ({ kinds, gang: undefined, nowMs: NOW }));
  expect(of('muster_job_pods')).toEqual(['{phase="Running"} 2']);
});

it('exports info, state, times, size and waiting reason of each job', async () => {
  const adapter = { ...plainAdapter({ workers: 2 }), elastic: { bounds: () => ({ min: 1, max: 4 }) } };
  const of = await exported(() => aroundOf(adapter));
  expect(of('muster_job_info')).toEqual([
    '{job_name="ends",uid="uid-of-ends",queue="",scheduler=""} 1',
    '{job_name="runs",uid="uid-of-runs",queue="gpus",scheduler=""} 1',
    '{job_name="suspended",uid="uid-of-suspended",queue="night",scheduler=""} 1',
    '{job_name="waits",uid="uid-of-waits",queue="",scheduler=""} 1',
  ]);
  const states = of('muster_job_state');
  expect(states).toHaveLength(4 * 8);
  expect(states.filter((line) => line.endsWith(' 1'))).toEqual([
    '{job_name="ends",state="Succeeded"} 1',
    '{job_name="runs",state="Failing"} 1',
    '{job_name="suspended",state="Suspended"} 1',
    '{job_name="waits",state="Created"} 1',
  ]);
  expect(of('muster_job_created_timestamp_seconds')).toContain(`{job_name="runs"} ${NOW / 1000 - 300}`);
  expect(of('muster_job_start_timestamp_seconds')).toEqual([`{job_name="runs"} ${NOW / 1000 - 120}`]);
  expect(of('muster_job_completion_timestamp_seconds')).toEqual([`{job_name="ends"} ${NOW / 1000 - 10}`]);
  expect(of('muster_job_replicas')).toEqual([
    '{job_name="ends",role="Worker"} 0',
    '{job_name="runs",role="Worker"} 2',
    '{job_name="suspended",role="Worker"} 0',
    '{job_name="waits",role="Worker"} 2',
  ]);
  expect(of('muster_job_replicas_ready')).toContain('{job_name="runs",role="Worker"} 1');
  expect(of('muster_job_elastic_replicas_min')).toContain('{job_name="runs"} 1');
  expect(of('muster_job_elastic_replicas_max')).toContain('{job_name="runs"} 4');
  expect(of('muster_job_restarts')).toContain('{job_name="runs"} 3');
  expect(of('muster_job_progress_ratio')).toEqual(['{job_name="runs"} 0.415']);
  expect(of('muster_job_progress_step')).toEqual(['{job_name="runs"} 415']);
  expect(of('muster_job_progress_stalled')).toEqual(['{job_name="runs"} 0']);
  expect(of('muster_job_waiting')).toEqual([
    '{job_name="suspended",reason="Suspended"} 1',
    '{job_name="waits",reason="Starting"} 1',
  ]);
});

describe('the state Failing', () => {
  const { restartCount: _none, disruptionCount: _neither, ...neverRestarted } = running;
  const waits = (seconds: number) => [{ role: 'Worker', indexes: '0', failures: 3, lastFailureTime: at(-seconds) }];
  const ready = [ofJob('job', 0, true), ofJob('job', 1, true)];
  const halfReady = [ofJob('job', 0, true), ofJob('job', 1, false)];

  const failedBefore = (last: number, first: number, failure: FailureClass = 'Program'): JobStatus => {
    const [newest, oldest] = [last, first].map((seconds) => ({
      ...{ role: 'Worker', index: 0, pod: 'job-worker-0', attempt: 0, class: failure },
      time: at(-seconds),
    }));
    return { firstFailure: newest!, failures: [oldest!] };
  };

  it.each<[what: string, status: JobStatus, pods: Pod[], state: string]>([
    ['runs without a restart and is not fully ready', neverRestarted, halfReady, 'Running'],
    ['was only disrupted and is not ready', { ...neverRestarted, disruptionCount: 3 }, halfReady, 'Running'],
    ['was restarted and is ready again', running, ready, 'Running'],
    ['was restarted and is not ready', running, halfReady, 'Failing'],
    ['was restarted and has no pod for a replica', running, halfReady.slice(0, 1), 'Failing'],
    [
      'was restarted, and whose unready replicas have succeeded',
      { ...running, replicaStatuses: { Worker: { active: 1, succeeded: 1 } } },
      halfReady,
      'Running',
    ],
    ['is in a crash loop before it has run', { state: 'Created', conditions: [CRASH_LOOP] }, halfReady, 'Failing'],
    ['is in a crash loop and briefly ready', { ...running, conditions: [CRASH_LOOP] }, ready, 'Failing'],
    ['is restarted for the first time', { ...running, state: 'Restarting' }, halfReady, 'Restarting'],
    [
      'waits in back-off after repeated failures',
      { ...running, state: 'Restarting', restarts: waits(5) },
      halfReady,
      'Failing',
    ],
    [
      'has ended its back-off after repeated failures',
      { ...running, state: 'Restarting', restarts: waits(60) },
      ready,
      'Restarting',
    ],
    ['failed twice within ten minutes', { ...running, ...failedBefore(30, 300) }, ready, 'Failing'],
    ['failed twice, the first time long before', { ...running, ...failedBefore(30, 700) }, ready, 'Running'],
    ['was evicted twice within ten minutes', { ...running, ...failedBefore(30, 300, 'Evicted') }, ready, 'Running'],
    ['is suspended after a crash loop', { state: 'Suspended', conditions: [CRASH_LOOP] }, [], 'Suspended'],
    [
      'has failed',
      { ...running, state: 'Failed', conditions: [CRASH_LOOP, { type: 'Failed', status: 'True' }] },
      [],
      'Failed',
    ],
  ])('is set by the conditions and pods of a job that %s', async (_what, status, pods, state) => {
    const kind = stillKind(plainAdapter({ workers: 2 }), { jobs: [job('job', status)], pods });
    const of = await exported(() => ({ kinds: [kind], gang: undefined, nowMs: NOW }));
    expect(of('muster_jobs')).toEqual([`{state="${state}"} 1`]);
    expect(of('muster_job_state')).toContain(`{job_name="job",state="${state}"} 1`);
  });
});

it('exports the first failure only of jobs that are failing or have failed', async () => {
  const failure = { role: 'Worker', index: 0, pod: 'job-worker-0', time: at(-60), attempt: 0 };
  const ended: JobStatus = { ...running, state: 'Failed', conditions: [{ type: 'Failed', status: 'True' }] };
  const jobs = [
    job('healed', { state: 'Running', firstFailure: { ...failure, class: 'Program', exitCode: 1 } }),
    job('failing', { ...running, firstFailure: { ...failure, class: 'Program', exitCode: 1 } }),
    job('evicted', { ...ended, firstFailure: { ...failure, class: 'Evicted' } }),
    job('late', ended),
  ];
  const of = await exported(() => aroundOf(plainAdapter({ workers: 2 }), jobs));
  expect(of('muster_job_failure_info')).toEqual([
    '{job_name="evicted",class="Evicted",exit_code=""} 1',
    '{job_name="failing",class="Program",exit_code="1"} 1',
    '{job_name="late",class="None",exit_code=""} 1',
  ]);
});

it('exports whether a job is stalled only for unfinished jobs with a progress deadline', async () => {
  const progress = { message: 'no progress for 60 s', step: 3 };
  const followed = { progressDeadlineSeconds: 60 };
  const jobs = [
    job('hangs', { ...running, progress }, followed),
    job('is-not-followed', { ...running, progress }),
    job('has-ended', { conditions: [{ type: 'Failed', status: 'True' }], progress }, followed),
  ];
  const of = await exported(() => aroundOf(plainAdapter({ workers: 2 }), jobs));
  expect(of('muster_job_progress_stalled')).toEqual(['{job_name="hangs"} 1']);
});

it('exports 1 for a job with unknown progress until a replica reports, and nothing for jobs without a deadline or that have ended', async () => {
  const conditions: JobStatus['conditions'] = [
    { type: 'ProgressKnown', status: 'False', reason: 'ProgressUnknown', message: 'no replica answers' },
  ];
  const followed = { progressDeadlineSeconds: 60 };
  const jobs = [
    job('silent', { ...running, conditions }, followed),
    job('reports', running, followed),
    job('is-not-followed', { ...running, conditions }),
    job('has-ended', { conditions: [...conditions, { type: 'Failed', status: 'True' }] }, followed),
  ];
  let around: Surroundings | undefined = aroundOf(plainAdapter({ workers: 2 }), jobs);
  const exportedNow = async () => (await exported(() => around))('muster_job_progress_unknown');
  expect(await exportedNow()).toEqual(['{job_name="reports"} 0', '{job_name="silent"} 1']);
  around = aroundOf(plainAdapter({ workers: 2 }), [job('silent', running, followed)]);
  expect(await exportedNow()).toEqual(['{job_name="silent"} 0']);
});

it('leaves out missing values: bounds of jobs that are not elastic, roles with an invalid size', async () => {
  const of = await exported(() => aroundOf(plainAdapter({ workers: NaN })));
  expect(of('muster_job_elastic_replicas_min')).toEqual([]);
  expect(of('muster_job_elastic_replicas_max')).toEqual([]);
  expect(of('muster_job_replicas').map((line) => line.slice(-2))).toEqual([' 0', ' 0']);
});

it('does not count pods of an earlier job with the same name as ready', async () => {
  const earlier = plainPod({ job: 'runs', name: 'runs-worker-0', owner: { uid: 'earlier', name: 'runs' } });
  const kind = stillKind(plainAdapter({ workers: 2 }), { jobs: JOBS, pods: [earlier] });
  const of = await exported(() => ({ kinds: [kind], gang: undefined, nowMs: NOW }));
  expect(of('muster_job_replicas_ready')).toContain('{job_name="runs",role="Worker"} 0');
});

it('exports all other series if the status record of one job is unreadable', async () => {
  const strange = {
    state: 'Running',
    startTime: at(-60),
    restarts: 'many',
    conditions: 7,
    elastic: 3,
    firstFailure: null,
  };
  const jobs = [job('strange', strange as unknown as JobStatus), job('runs', running)];
  const of = await exported(() => aroundOf(plainAdapter({ workers: 2 }), jobs));
  expect(of('muster_jobs')).toEqual(['{state="Failing"} 1', '{state="Running"} 1']);
  expect(of('muster_job_state')).toContain('{job_name="strange",state="Running"} 1');
  expect(of('muster_job_info')).toHaveLength(2);
  expect(of('muster_job_replicas')).toContain('{job_name="runs",role="Worker"} 2');
});

it('exports no series of jobs while this process is not the leader', async () => {
  let around: Surroundings | undefined;
  const registry = new Registry();
  exportJobGauges(registry, () => around);
  exportPerJobGauges(registry, [], () => around);
  const series = async () => (await registry.metrics()).split('\n').filter((line) => /^[a-z]/.test(line));
  const gauges = async () => new Set((await series()).map((line) => line.replace(/\{.*/, '')));
  expect(await series()).toEqual([]);
  around = aroundOf(plainAdapter({}));
  expect([...(await gauges())]).toEqual(
    expect.arrayContaining([
      'muster_jobs_waiting',
      'muster_job_waiting',
      'muster_job_progress_stalled',
      'muster_job_progress_unknown',
    ]),
  );
  around = undefined;
  expect(await series()).toEqual([]);
});
