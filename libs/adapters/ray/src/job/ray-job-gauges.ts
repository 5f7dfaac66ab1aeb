import type { JobGauge } from '@muster/common-job-controller';
import type { RayJob } from '@muster/job-api';
import { RAY } from '@muster/metrics';
import { rayGauge } from '../model/ray-gauge.ts';

export const RAY_JOB_GAUGES: readonly JobGauge<RayJob>[] = [
  rayGauge(RAY.jobInfo, (job: RayJob) => [{ labels: labelsOf(job), value: 1 }]),
  rayGauge(RAY.jobDeploymentStatus, (job: RayJob) => [
    { labels: { ...labelsOf(job), deployment_status: stateOf(job) }, value: 1 },
  ]),
  rayGauge(RAY.jobExecutionDuration, (job: RayJob) => {
    const { startTime = '', endTime = '', failed = 0 } = job.status ?? {};
    const seconds = (Date.parse(endTime) - Date.parse(startTime)) / 1000;
    if (!(seconds >= 0)) return [];
    const state = stateOf(job);
    // The last failure of a failed job was not retried.
    const retries = state === 'Failed' ? Math.max(0, failed - 1) : failed;
    const ofTry = { job_deployment_status: state, retry_count: String(retries) };
    return [{ labels: { ...labelsOf(job), ...ofTry }, value: seconds }];
  }),
];

function labelsOf({ metadata }: RayJob) {
  const { name = '', namespace = '', uid = '' } = metadata ?? {};
  return { name, namespace, uid };
}

function stateOf({ status }: RayJob): string {
  return status?.jobDeploymentStatus || 'New';
}
