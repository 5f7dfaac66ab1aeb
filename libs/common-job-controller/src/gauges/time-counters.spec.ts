import type { JobStatus } from '@muster/job-api';
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { plainAdapter } from '../../test-support/plain-adapter.ts';
import { at, JOB, NOW, plainPod } from '../../test-support/plain-pod.ts';
import { stillKind } from '../../test-support/still-caches.ts';
import type { JobManifest } from '../model/training-job.ts';
import { ACCOUNTS } from '@muster/metrics';
import { TIME_ACCOUNTS } from '@muster/job-api';
import { exportTimeCounters } from './time-counters.ts';
import type { Surroundings } from './waiting-reason.ts';

const adapter = plainAdapter({ workers: 2, resources: { limits: { 'nvidia.com/gpu': '4' } } });
const POD = { node: 'n', accepted: -60 };
const PODS = [plainPod(POD), plainPod({ ...POD, index: 1 })];

function job(name: string, created: number, status: JobStatus): JobManifest {
  const labels = { 'kueue.x-k8s.io/queue-name': 'gpus' };
  return {
    metadata: { ...JOB, name, uid: name, creationTimestamp: at(created), labels },
    spec: { runPolicy: {} },
    status,
  };
}

const running: JobStatus = {
  state: 'Running',
  timeAccounts: {
    account: 'Running',
    until: at(0),
    accounts: { Starting: { seconds: 60, podSeconds: 120 }, Running: { seconds: 100, podSeconds: 200 } },
    attempts: [],
  },
};
const lost: JobStatus = {
  state: 'Failed',
  conditions: [{ type: 'Failed', status: 'True' }],
  timeAccounts: {
    until: at(25),
    accounts: { Restarting: { seconds: 10, podSeconds: 0 } },
    losses: { OutOfMemory: { seconds: 10, resourceSeconds: { 'nvidia.com/gpu': 80 } } },
    attempts: [],
  },
};

function scraped(...turns: readonly (readonly JobManifest[] | undefined)[]) {
  const registry = new Registry();
  let around: Surroundings | undefined;
  exportTimeCounters(registry, () => around);
  return turns.reduce<Promise<string[]>>(async (before, jobs, index) => {
    await before;
    around = jobs && {
      kinds: [stillKind(adapter, { jobs, pods: PODS })],
      gang: undefined,
      nowMs: NOW + 30_000 * index,
    };
    const text = await registry.metrics();
    const labels = /job_namespace="team",framework="plain",kind="PlainJob",queue="gpus",/g;
    return text
      .split('\n')
      .filter((line) => /^[^#]/.test(line))
      .map((line) => line.replaceAll(labels, ''));
  }, Promise.resolve([]));
}

it('counts time from the first scrape on, up to the moment of each scrape, for pods and their resources too', async () => {
  expect(await scraped([job('job', -160, running)], [job('job', -160, running)])).toEqual([
    'muster_job_time_seconds_total{account="Starting"} 0',
    'muster_job_time_seconds_total{account="Running"} 30',
    'muster_job_pod_seconds_total{account="Starting"} 0',
    'muster_job_pod_seconds_total{account="Running"} 60',
    'muster_job_resource_seconds_total{account="Running",resource="nvidia.com/gpu"} 240',
  ]);
});

it('counts all the time of a job that was created since the last scrape, and keeps it after the job is deleted', async () => {
  const kept = [
    'muster_job_time_seconds_total{account="Restarting"} 10',
    'muster_job_pod_seconds_total{account="Restarting"} 0',
    'muster_job_lost_seconds_total{class="OutOfMemory"} 10',
    'muster_job_lost_resource_seconds_total{class="OutOfMemory",resource="nvidia.com/gpu"} 80',
  ];
  expect(await scraped([], [job('new', 5, lost)])).toEqual(kept);
  expect(await scraped([], [job('new', 5, lost)], [], [job('new', 5, lost)])).toEqual(kept);
});

it('exports nothing while another process is the leader, and starts at 0 afterwards', async () => {
  expect(await scraped([], [job('new', 5, lost)], undefined)).toEqual([]);
  const again = await scraped([], [job('new', 5, lost)], undefined, [job('new', 5, lost)]);
  expect(again.map((line) => line.split(' ')[1])).toEqual(['0', '0', '0', '0']);
});

it('removes the series of a queue without jobs after an hour', async () => {
  const empty = Array.from({ length: 122 }, (): JobManifest[] => []);
  expect(await scraped([], [job('new', 5, lost)], ...empty)).toEqual([]);
});

it('has the accounts of the API as values of its label', () => {
  expect(Object.keys(ACCOUNTS)).toEqual(TIME_ACCOUNTS);
});
