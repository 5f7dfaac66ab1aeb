/**
 * Jobs by namespace. `training_operator_*` are Kubeflow's names and labels (kubeflow/training-operator,
 * pkg/common/metrics.go); its dashboards rely on them.
 */
import type { MetricSet } from '../declaration.ts';

/** The states of a job: `state` of its status, `New` before the first status, and `Failing` in place of the state of a job that keeps failing. */
export const JOB_STATES = {
  New: 'The operator has not written a status yet.',
  Created: 'It is taken up, and its replicas are made and started.',
  Running: 'The replicas that decide the outcome run.',
  Failing:
    'Its status says Created, Running or Restarting, and it keeps failing: a container is in a crash loop, its program failed twice within ten minutes, the next restart is delayed, or it was restarted and not all replicas are ready.',
  Restarting: 'A replica failed in a way that is retried, and its replacement does not run yet.',
  Suspended: 'It is stopped, and has no pods.',
  Succeeded: 'It has ended well.',
  Failed: 'It has ended badly.',
};

/** Why a job waits: it has not ended, and not all of its replicas run. The first that holds, in this order. */
export const WAITING_REASONS = {
  Suspended: 'It is stopped by its own suspend, by its user or by a queue.',
  Queued:
    'Kueue has not admitted its Workload, which Muster has made: there is no quota, or an admission check is open.',
  Evicted: 'Kueue has taken back its quota, as for a job of a higher priority.',
  PlanningFailed: 'A defect of the operator, or a mistake in the spec that no rule knows.',
  Reference: 'An object that its spec names is not there.',
  Refused: 'The API server refuses an object of it: a quota, a policy, a webhook, missing rights.',
  NameTaken: 'An object of another owner has the name that one of its own needs.',
  PodGroup: 'The gang scheduler has not let its pod group in, or is not there, so that no pods are made yet.',
  Unschedulable: 'No node takes a pod of it, or the gang scheduler cannot place its pods together.',
  SchedulingGated: 'A pod of it has scheduling gates: somebody else decides when it is placed.',
  Image: 'An image cannot be pulled.',
  Container:
    'A container cannot be started: a Secret or ConfigMap that it takes its environment from is missing, or its command is.',
  CrashLoop:
    'A container fails again and again, or cannot be started: its kubelet or its Job starts it again later, and its pod counts as running meanwhile.',
  Deletion: 'A pod that is deleted, or one of an earlier job of its name, is not gone yet.',
  Backoff: 'What has failed several times in a row is tried again later.',
  StartOrder: 'A role of it waits until another runs or is ready, and nothing else is known to be in the way.',
  Starting: 'Its pods are being made or started, and nothing is known to be in the way.',
};

/** Why replicas, or all of a job, were restarted. */
export const RESTART_CAUSES = {
  ProgramFailed: 'A container ended with an exit code other than 0, or its pod broke a limit of its own.',
  OutOfMemory: 'A container was killed because it took more memory than its limit.',
  ClusterEnded: 'The cluster ended a pod: eviction, preemption, a lost node.',
  NodeRefused: 'A node refused a pod that was placed on it.',
  JobRetried: 'The job began anew as a whole by a rule of its framework, as a RayJob does after a failed try.',
};

/** What failed first, whether its job went on or not. */
export const FAILURES = {
  Program: 'A container ended with an exit code other than 0 or by a signal, or the job made no progress.',
  OutOfMemory: 'A container was killed because it took more memory than its limit.',
  Evicted: 'A pod was ended by an eviction, by its kubelet, or with a node that was shut down.',
  Preempted: 'A pod made room for one of a higher priority.',
  NodeLost: 'A pod was lost with its node.',
  Image: 'An image could not be had.',
  Refused: 'A node refused a pod that was placed on it.',
  Deleted: 'A pod was deleted by a user or another controller, and a container of another ended because of that.',
  Cascade: 'A container ended because another process was gone, and nothing else failed.',
};

/** From then on with 0, so that a rate sees the first event. */
const SEEN = 'The process that leads has seen a job in the namespace.';

const OF_A_KIND = ['job_namespace', 'framework', 'kind'] as const;
const KUBEFLOW = { type: 'counter', labels: ['job_namespace', 'framework'], unit: 'count' } as const;

export const JOBS = {
  created: {
    ...KUBEFLOW,
    name: 'training_operator_jobs_created_total',
    help: 'Jobs that the operator has taken up.',
    appears: SEEN,
  },
  deleted: {
    ...KUBEFLOW,
    name: 'training_operator_jobs_deleted_total',
    help: 'Jobs that were deleted because their time to live was over.',
    appears: SEEN,
  },
  successful: {
    ...KUBEFLOW,
    name: 'training_operator_jobs_successful_total',
    help: 'Jobs that have succeeded.',
    appears: SEEN,
  },
  failed: {
    ...KUBEFLOW,
    name: 'training_operator_jobs_failed_total',
    help: 'Jobs that have failed.',
    appears: SEEN,
  },
  restarted: {
    ...KUBEFLOW,
    name: 'training_operator_jobs_restarted_total',
    help: 'Replicas that were restarted.',
    appears: SEEN,
  },
  restarts: {
    type: 'counter',
    name: 'muster_job_restarts_total',
    labels: [...OF_A_KIND, 'cause'],
    help: 'Restarts of replicas by cause, in place ones included; what is recreated together counts once.',
    unit: 'count',
    values: { cause: RESTART_CAUSES },
    appears: SEEN,
  },
  failures: {
    type: 'counter',
    name: 'muster_job_failures_total',
    labels: [...OF_A_KIND, 'class'],
    help: 'Failures by what failed first: what fell with it is not counted, nor what could not start.',
    unit: 'count',
    values: { class: FAILURES },
    appears: SEEN,
  },
  startLatency: {
    type: 'histogram',
    name: 'muster_job_start_latency_seconds',
    labels: [...OF_A_KIND, 'stage'],
    help: "From a job's start until all of its pods were created, and until all of its replicas ran.",
    unit: 'seconds',
    // A tenth of a second to almost two hours.
    buckets: Array.from({ length: 17 }, (_each, power) => 0.1 * 2 ** power),
    values: { stage: { pods_created: 'All pods were created.', running: 'All replicas ran together.' } },
    appears: 'All replicas of a job have run together since the operator was started.',
  },
  jobs: {
    type: 'gauge',
    name: 'muster_jobs',
    labels: [...OF_A_KIND, 'state'],
    help: 'Jobs by state: that of their status, or Failing. Exported by the process that leads.',
    unit: 'count',
    values: { state: JOB_STATES },
    appears: 'There is such a job.',
  },
  pods: {
    type: 'gauge',
    name: 'muster_job_pods',
    labels: [...OF_A_KIND, 'phase'],
    help: 'Pods of jobs by phase. Exported by the process that leads.',
    unit: 'count',
    values: {
      phase: {
        Pending: 'Not all containers have been started.',
        Running: 'A container runs, or is to be started again.',
        Succeeded: 'All containers have ended well.',
        Failed: 'A container has ended badly, or the pod was ended as a whole.',
        Unknown: 'Its node does not answer.',
      },
    },
    appears: 'There is such a pod.',
  },
  waiting: {
    type: 'gauge',
    name: 'muster_jobs_waiting',
    labels: [...OF_A_KIND, 'reason'],
    help: 'Jobs that have not ended and do not run with all of their replicas, by what they wait for. Exported by the process that leads.',
    unit: 'count',
    values: { reason: WAITING_REASONS },
    appears: 'There is such a job.',
  },
} as const satisfies MetricSet;
