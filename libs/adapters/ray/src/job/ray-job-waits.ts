/** Text about what a RayJob waits for in its current state. */
import { isQueued } from './cluster-queue.ts';
import { isReady } from './observed-record.ts';
import type { View } from './observed-ray-job.ts';

/** Undefined when the job has ended. */
export function waitsFor(view: View): string | undefined {
  const { known, spec, submitter } = view;
  switch (known.jobDeploymentStatus) {
    case 'Initializing':
      return initializingFor(view);
    case 'Waiting':
      return `spec.jobId: submit the job to http://${known.dashboardURL}, and write its id there`;
    case 'Running':
      return runningFor(view);
    case 'Suspending':
    case 'Retrying':
      return [
        ...(view.cluster !== undefined && spec.clusterSelector === undefined
          ? [`RayCluster ${known.rayClusterName}`]
          : []),
        ...(submitter !== undefined ? [`Job ${view.name}`] : []),
      ]
        .join(' and ')
        .concat(' to be deleted');
    case 'Suspended':
      return 'spec.suspend to be false';
    case '':
    case 'Complete':
    case 'Failed':
    case 'ValidationFailed':
      return undefined;
  }
}

function initializingFor({ known, cluster, spec, name }: View): string {
  const named = `RayCluster ${known.rayClusterName}`;
  if (cluster === undefined)
    return spec.clusterSelector === undefined
      ? `${named} to be created`
      : `${named} to be created, which spec.clusterSelector names`;
  if (isQueued(cluster)) return `${named}, which waits in a queue, to be admitted`;
  if (known.dashboardURL !== undefined && isReady(cluster)) return `Job ${name}, the submitter, to be created`;
  const head = cluster.status?.conditions?.find(({ type }) => type === 'HeadPodReady');
  const why = head?.status === 'False' ? ` (its head: ${[head.reason, head.message].filter(Boolean).join(', ')})` : '';
  return `${named} to be ready${why}`;
}

function runningFor({ known, answer, name, submitter }: View): string {
  if (answer?.kind === 'Silent') return `an answer of the dashboard, ${known.dashboardURL}: ${answer.problem}`;
  if (known.jobStatus === '') return `Ray to report job ${known.jobId}, which is submitted to ${known.dashboardURL}`;
  if (submitter !== undefined && submitter.end === undefined && known.rayJobInfo?.endTime !== undefined)
    return `the submitter of ${name} to write the rest of the log`;
  return `Ray job ${known.jobId} to end`;
}
