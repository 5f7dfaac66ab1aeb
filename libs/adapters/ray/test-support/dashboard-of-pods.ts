/** What Ray's dashboards say where nobody runs the pods: a job that is asked for runs, until its submitter's pod ends. */
import type { JobOperatorOptions } from '@muster/common-job-controller';
import { PODS, type Pod } from '@muster/job-api';
import type { OperatorStart } from '@muster/testing';

/** Kubernetes' label for the Job that has made a pod. */
export const SUBMITTED_BY = 'batch.kubernetes.io/job-name';

const SESSION = { status: 200, body: { session_name: 'session_1' } };

/** For an operator, in place of HTTP. */
export function dashboardOfPods(client: OperatorStart['client']): NonNullable<JobOperatorOptions['ask']> {
  return async ({ url }) => {
    if (typeof url === 'string') throw new Error(`${url} is no Service`);
    const { namespace, path } = url;
    // A job is called as its cluster: `<job>-<5 characters>`.
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
