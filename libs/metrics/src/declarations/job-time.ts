/** Where the time of jobs goes, for each team. The accounts are those of `status.timeAccounts`. */
import type { MetricSet } from '../declaration.ts';
import { FAILURES } from './jobs.ts';

/** In the order of a job's life. */
export const ACCOUNTS = {
  Suspended: 'A person suspended the job.',
  Queued: 'Kueue, a gang scheduler or a quota holds the job back.',
  Unscheduled: 'A pod has no node.',
  Starting: 'Every pod has a node, and one does not run yet.',
  Running: 'All replicas run, and do new work.',
  Degraded: 'The job runs with fewer replicas than its spec wants: an elastic job lost some, or more were added.',
  Stalled: 'All replicas run, and no progress was reported in time.',
  Restarting: 'A replica failed, and not all run again.',
  Recomputing: 'All replicas run again after a failure, and repeat steps.',
  Finishing: 'A replica has succeeded, and others still run.',
};

const OF_A_QUEUE = ['job_namespace', 'framework', 'kind', 'queue'] as const;
const SECONDS = { type: 'counter', isScraped: true, unit: 'seconds' } as const;
const BY_ACCOUNT = {
  ...SECONDS,
  values: { account: ACCOUNTS },
  appears: 'A job has spent time in the account.',
} as const;
const BY_CLASS = {
  ...SECONDS,
  values: { class: FAILURES },
  appears: 'A job has lost time to such a failure.',
} as const;

export const JOB_TIME = {
  time: {
    ...BY_ACCOUNT,
    name: 'muster_job_time_seconds_total',
    labels: [...OF_A_QUEUE, 'account'],
    help: 'Time of jobs by account: each second between the creation and the end of a job counts once.',
  },
  podTime: {
    ...BY_ACCOUNT,
    name: 'muster_job_pod_seconds_total',
    labels: [...OF_A_QUEUE, 'account'],
    help: 'Time of pods with a node, by the account of their job.',
  },
  resourceTime: {
    ...BY_ACCOUNT,
    name: 'muster_job_resource_seconds_total',
    labels: [...OF_A_QUEUE, 'account', 'resource'],
    help: 'Time of pods with a node, times the extended resources that they request, for example GPUs.',
  },
  lostTime: {
    ...BY_CLASS,
    name: 'muster_job_lost_seconds_total',
    labels: [...OF_A_QUEUE, 'class'],
    help: 'Time of the accounts Restarting and Recomputing, by class of the failure.',
  },
  lostResourceTime: {
    ...BY_CLASS,
    name: 'muster_job_lost_resource_seconds_total',
    labels: [...OF_A_QUEUE, 'class', 'resource'],
    help: 'The same time, times the extended resources that the pods request.',
  },
} as const satisfies MetricSet;
