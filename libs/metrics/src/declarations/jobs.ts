/**
 * Jobs by namespace. `training_operator_*` are Kubeflow's names and labels (kubeflow/training-operator,
 * pkg/common/metrics.go), which its dashboards use.
 */
import type { MetricSet } from '../declaration.ts';

/** `state` of the job's status, `New` before the first status, and `Failing` instead of the state of a job that keeps failing. */
export const JOB_STATES = {
  New: 'The operator has not written a status yet.',
  Created: 'The job is accepted, and its replicas are being created and started.',
  Running: 'The replicas that decide the outcome run.',
  Failing:
    'The status says Created, Running or Restarting, but the job keeps failing: a container is in a crash loop, the program failed twice within ten minutes, the next restart is delayed, or not all replicas are ready after a restart.',
  Restarting: 'A replica failed and is retried. Its replacement does not run yet.',
  Suspended: 'The job is suspended and has no pods.',
  Succeeded: 'The job has succeeded.',
  Failed: 'The job has failed.',
};

/** Why an unfinished job does not run with all of its replicas. If several reasons hold, the first in this order is exported. */
export const WAITING_REASONS = {
  Suspended: 'The job is suspended, by its user or by a queue.',
  Queued:
    'Kueue has not admitted the Workload that Muster created: quota is missing, or an admission check is pending.',
  Evicted: 'Kueue has taken back the quota of the job, for example for a job of higher priority.',
  PlanningFailed:
    'The operator cannot plan the job: a defect, or a mistake in the spec that validation does not detect.',
  Reference: 'An object that the spec names does not exist.',
  Refused: 'The API server rejects an object of the job: a quota, a policy, a webhook, or a missing permission.',
  NameTaken: 'An object of another owner has the name of an object that the job needs.',
  PodGroup: 'The gang scheduler has not admitted the pod group, or is not installed. No pods are created yet.',
  Unschedulable: 'No node fits a pod of the job, or the gang scheduler cannot place its pods together.',
  NoReport:
    'For a minute, no scheduler has placed a pod or said why not, the kubelet of its node has not reported on it, or its Job or StatefulSet has not created it.',
  SchedulingGated: 'A pod has scheduling gates, which another controller removes.',
  Image: 'An image cannot be pulled.',
  Container: 'A container cannot be started: its command is missing, or a Secret or ConfigMap for its environment.',
  CrashLoop:
    'A container fails repeatedly or cannot be started. The kubelet or a Job retries it later; until then its pod counts as running.',
  Deletion: 'A pod is still being deleted, or a pod of an earlier job with the same name still exists.',
  Backoff: 'Replicas failed several times in a row. Their next restart is delayed.',
  StartOrder: 'A role waits until another role is running or ready, and no other obstacle is known.',
  Starting: 'Pods are being created or started, and no obstacle is known.',
};

/** Why replicas, or the whole job, were restarted. */
export const RESTART_CAUSES = {
  ProgramFailed: 'A container ended with a nonzero exit code, or its pod exceeded one of its own limits.',
  OutOfMemory: 'A container was killed because it exceeded its memory limit.',
  ClusterEnded: 'The cluster ended a pod: eviction, preemption, or a lost node.',
  NodeRefused: 'A node rejected a pod that was scheduled to it.',
  JobRetried: 'A rule of the framework restarted the whole job, as for a RayJob after a failed attempt.',
};

/** Class of the first failure, also of jobs that continued. */
export const FAILURES = {
  Program: 'A container ended with a nonzero exit code or by a signal, or the job made no progress.',
  OutOfMemory: 'A container was killed because it exceeded its memory limit.',
  Evicted: 'A pod was ended by an eviction, by its kubelet, or by the shutdown of its node.',
  Preempted: 'A pod was preempted by a pod of higher priority.',
  NodeLost: 'A pod was lost with its node.',
  Image: 'An image could not be pulled.',
  Refused: 'A node rejected a pod that was scheduled to it.',
  Deleted: 'Another client deleted a pod, and a container of another pod ended because of that.',
  Cascade: 'A container ended because another process was gone, and no other failure is known.',
};

/** Series then start at 0, so that a rate includes the first event. */
const SEEN = 'The leader has observed a job in the namespace.';

const OF_A_KIND = ['job_namespace', 'framework', 'kind'] as const;
const KUBEFLOW = { type: 'counter', labels: ['job_namespace', 'framework'], unit: 'count' } as const;

export const JOBS = {
  created: {
    ...KUBEFLOW,
    name: 'training_operator_jobs_created_total',
    help: 'Jobs that the operator has accepted.',
    appears: SEEN,
  },
  deleted: {
    ...KUBEFLOW,
    name: 'training_operator_jobs_deleted_total',
    help: 'Jobs that were deleted after ttlSecondsAfterFinished.',
    appears: SEEN,
  },
  successful: {
    ...KUBEFLOW,
    name: 'training_operator_jobs_successful_total',
    help: 'Jobs that succeeded.',
    appears: SEEN,
  },
  failed: {
    ...KUBEFLOW,
    name: 'training_operator_jobs_failed_total',
    help: 'Jobs that failed.',
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
    help: 'Restarts of replicas by cause, including restarts in place. Replicas that are recreated together count once.',
    unit: 'count',
    values: { cause: RESTART_CAUSES },
    appears: SEEN,
  },
  failures: {
    type: 'counter',
    name: 'muster_job_failures_total',
    labels: [...OF_A_KIND, 'class'],
    help: 'Failures by class of the first failed pod. Excludes cascading failures and pods that never started.',
    unit: 'count',
    values: { class: FAILURES },
    appears: SEEN,
  },
  startLatency: {
    type: 'histogram',
    name: 'muster_job_start_latency_seconds',
    labels: [...OF_A_KIND, 'stage'],
    help: "Time from a job's start until all of its pods were created, and until all of its replicas ran.",
    unit: 'seconds',
    // A tenth of a second to almost two hours.
    buckets: Array.from({ length: 17 }, (_each, power) => 0.1 * 2 ** power),
    values: { stage: { pods_created: 'All pods were created.', running: 'All replicas ran at the same time.' } },
    appears: 'All replicas of a job have run at the same time since the operator started.',
  },
  jobs: {
    type: 'gauge',
    name: 'muster_jobs',
    labels: [...OF_A_KIND, 'state'],
    help: 'Jobs by state: the state in their status, or Failing. Exported by the leader.',
    unit: 'count',
    values: { state: JOB_STATES },
    appears: 'At least one such job exists.',
  },
  pods: {
    type: 'gauge',
    name: 'muster_job_pods',
    labels: [...OF_A_KIND, 'phase'],
    help: 'Pods of jobs by phase. Exported by the leader.',
    unit: 'count',
    values: {
      phase: {
        Pending: 'Not all containers have been started.',
        Running: 'A container runs or is about to be restarted.',
        Succeeded: 'All containers have succeeded.',
        Failed: 'A container failed, or the whole pod was ended.',
        Unknown: 'The node of the pod does not respond.',
      },
    },
    appears: 'At least one such pod exists.',
  },
  waiting: {
    type: 'gauge',
    name: 'muster_jobs_waiting',
    labels: [...OF_A_KIND, 'reason'],
    help: 'Unfinished jobs that do not run with all of their replicas, by reason. Exported by the leader.',
    unit: 'count',
    values: { reason: WAITING_REASONS },
    appears: 'At least one such job exists.',
  },
} as const satisfies MetricSet;
