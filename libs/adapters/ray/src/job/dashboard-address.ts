/** The address of a cluster's dashboard within the Kubernetes cluster. */
import type { ObservedRayJob } from './observed-ray-job.ts';

const USUAL_PORT = '8265';

/** `<service>.<namespace>.svc.<domain>:<port>`, as upstream. Undefined if the status names no Service. */
export function dashboardAddress({
  cluster,
  namespace,
  clusterDomain,
}: Pick<ObservedRayJob, 'cluster' | 'namespace' | 'clusterDomain'>): string | undefined {
  const { head, endpoints } = cluster?.status ?? {};
  if (head?.serviceName === undefined || head.serviceName === '') return undefined;
  return `${head.serviceName}.${namespace}.svc.${clusterDomain}:${endpoints?.['dashboard'] ?? USUAL_PORT}`;
}
