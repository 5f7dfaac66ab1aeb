/** Answers of Ray's dashboards for pods that do not run: a requested job runs until its submitter's pod ends. */
import type { JobOperatorOptions } from '@muster/common-job-controller';
import { PODS, type Pod } from '@muster/job-api';
import type { OperatorStart } from '@muster/testing';

/** Kubernetes' label with the Job of a pod. */
export const SUBMITTED_BY = 'batch.kubernetes.io/job-name';

const SESSION = { status: 200, body: { session_name: 'session_1' } };

/** Replaces HTTP in an operator. */
export function dashboardOfPods(client: OperatorStart['client']): NonNullable<JobOperatorOptions['sendProbe']> {
  return async ({ url }) => {
    if (typeof url === 'string') throw new Error(`${url} is no Service`);
    const { namespace, path } = url;
    // A job id is its cluster's name: `<job>-<5 characters>`.
    const job = /^\/api\/jobs\/(.+)-\w{5}$/.exec(path)?.[1];
    if (job === undefined) return SESSION;
    const { items } = await client.list(PODS, { namespace, labelSelector: `${SUBMITTED_BY}=${job}` });
    const pod = items.find(({ metadata }) => metadata?.deletionTimestamp === undefined);
    return { status: 200, body: { status: wordOf(pod), message: '' } };
  };
}

function wordOf(pod: Pod | undefined): 'SUCCEEDED' | 'FAILED' | 'RUNNING' {
  if (pod?.status?.phase === 'Succeeded') return 'SUCCEEDED';
  return pod?.status?.phase === 'Failed' ? 'FAILED' : 'RUNNING';
}
