/**
 * Each job by itself, as kube-state-metrics exports objects, by its best practices for metrics: raw facts at the
 * time of the scrape, that go with the job. Off with `--per-job-metrics=false`.
 */
import type { MetricSet } from '../declaration.ts';
import { JOB_STATES, WAITING_REASONS } from './jobs.ts';

const OF_A_JOB = ['job_namespace', 'job_name', 'framework', 'kind'] as const;

export const PER_JOB = {
  info: {
    type: 'gauge',
    name: 'muster_job_info',
    labels: [...OF_A_JOB, 'uid', 'queue', 'scheduler'],
    help: 'Jobs: the queue they wait in and the scheduler that places their pods, empty where they name none.',
    unit: 'info',
    appears: 'There is such a job.',
  },
  state: {
    type: 'gauge',
    name: 'muster_job_state',
    labels: [...OF_A_JOB, 'state'],
    help: 'The state of a job: 1 for the one that it is in, 0 for the others.',
    unit: 'boolean',
    values: { state: JOB_STATES },
    appears: 'There is such a job.',
  },
  created: {
    type: 'gauge',
    name: 'muster_job_created_timestamp_seconds',
    labels: OF_A_JOB,
    help: 'When the job was created, in seconds since 1970.',
    unit: 'timestamp',
    appears: 'There is such a job.',
  },
  started: {
    type: 'gauge',
    name: 'muster_job_start_timestamp_seconds',
    labels: OF_A_JOB,
    help: 'When the job started, or was last resumed, in seconds since 1970.',
    unit: 'timestamp',
    appears: 'The job has started.',
  },
  completed: {
    type: 'gauge',
    name: 'muster_job_completion_timestamp_seconds',
    labels: OF_A_JOB,
    help: 'When the job ended, well or badly, in seconds since 1970.',
    unit: 'timestamp',
    appears: 'The job has ended.',
  },
  replicas: {
    type: 'gauge',
    name: 'muster_job_replicas',
    labels: [...OF_A_JOB, 'role'],
    help: 'Pods that a role of the job wants now: none while it is suspended, and after its end.',
    unit: 'count',
    appears: 'There is such a job, and it has roles.',
  },
  ready: {
    type: 'gauge',
    name: 'muster_job_replicas_ready',
    labels: [...OF_A_JOB, 'role'],
    help: 'Pods of a role of the job that run and are ready.',
    unit: 'count',
    appears: 'There is such a job, and it has roles.',
  },
  elasticMin: {
    type: 'gauge',
    name: 'muster_job_elastic_replicas_min',
    labels: OF_A_JOB,
    help: 'The least number of elastic replicas with which the job goes on.',
    unit: 'count',
    appears: 'There is an elastic job.',
  },
  elasticMax: {
    type: 'gauge',
    name: 'muster_job_elastic_replicas_max',
    labels: OF_A_JOB,
    help: 'The greatest number of elastic replicas that the job can have.',
    unit: 'count',
    appears: 'There is an elastic job.',
  },
  elasticWanted: {
    type: 'gauge',
    name: 'muster_job_elastic_replicas_wanted',
    labels: OF_A_JOB,
    help: 'How many workers the spec of an elastic job asks for.',
    unit: 'count',
    appears: 'There is an elastic PyTorchJob that has begun.',
  },
  elasticGranted: {
    type: 'gauge',
    name: 'muster_job_elastic_replicas_granted',
    labels: OF_A_JOB,
    help: 'With how many workers an elastic job goes on: fewer than it wants where the cluster has no room for them.',
    unit: 'count',
    appears: 'There is an elastic PyTorchJob that has begun.',
  },
  restarts: {
    type: 'gauge',
    name: 'muster_job_restarts',
    labels: OF_A_JOB,
    help: 'Restarts of the job as its status counts them, those that the cluster caused included.',
    unit: 'count',
    appears: 'There is such a job.',
  },
  waiting: {
    type: 'gauge',
    name: 'muster_job_waiting',
    labels: [...OF_A_JOB, 'reason'],
    help: 'What a job that has not ended and does not run with all of its replicas waits for.',
    unit: 'boolean',
    values: { reason: WAITING_REASONS },
    appears: 'There is such a job.',
  },
} as const satisfies MetricSet;
