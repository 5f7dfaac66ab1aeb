/** KubeRay's metrics of RayJobs, under its names and labels. */
import type { JobGauge } from '@muster/common-job-controller';
import type { RayJob } from '@muster/job-api';

const OBJECT_LABELS = ['name', 'namespace', 'uid'] as const;

export const RAY_JOB_GAUGES: readonly JobGauge<RayJob>[] = [
  {
    name: 'kuberay_job_info',
    help: 'RayJobs.',
    labelNames: OBJECT_LABELS,
    samples: (job) => [{ labels: labelsOf(job), value: 1 }],
  },
  {
    name: 'kuberay_job_deployment_status',
    help: 'RayJobs, by how far they are.',
    labelNames: [...OBJECT_LABELS, 'deployment_status'],
    samples: (job) => [{ labels: { ...labelsOf(job), deployment_status: stateOf(job) }, value: 1 }],
  },
  {
    name: 'kuberay_job_execution_duration_seconds',
    help: 'How long the last try of a RayJob that has ended took, from its start to its end.',
    labelNames: [...OBJECT_LABELS, 'job_deployment_status', 'retry_count'],
    samples(job) {
      const { startTime = '', endTime = '', failed = 0 } = job.status ?? {};
      const seconds = (Date.parse(endTime) - Date.parse(startTime)) / 1000;
      if (!(seconds >= 0)) return [];
      const state = stateOf(job);
      // Of a job that has failed the last failure is no retry.
      const retries = state === 'Failed' ? Math.max(0, failed - 1) : failed;
      return [
        { labels: { ...labelsOf(job), job_deployment_status: state, retry_count: String(retries) }, value: seconds },
      ];
    },
  },
];

function labelsOf({ metadata }: RayJob) {
  const { name = '', namespace = '', uid = '' } = metadata ?? {};
  return { name, namespace, uid };
}

function stateOf({ status }: RayJob): string {
  return status?.jobDeploymentStatus || 'New';
}
