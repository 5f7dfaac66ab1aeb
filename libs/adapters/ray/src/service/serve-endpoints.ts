/** The pods of a cluster that get requests through the serve Service. */
import type { Pod } from '@muster/job-api';
import { RAY_LABELS } from '../model/ray-labels.ts';
import type { ObservedCluster } from './observed-service.ts';

/** As Kubernetes' endpoints: selected by the Service, and ready. */
export function readyPods({ pods }: ObservedCluster): Pod[] {
  return pods.filter((pod) => isSelected(pod) && isReady(pod));
}

function isSelected({ metadata }: Pod): boolean {
  return metadata?.labels?.[RAY_LABELS.serve] === 'true';
}

function isReady({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: holds }) => type === 'Ready' && holds === 'True') ?? false;
}

/** Undefined if there are any. */
export function whyNoEndpoints(cluster: ObservedCluster, excludesHead: boolean): string | undefined {
  if (readyPods(cluster).length > 0) return undefined;
  const { name, pods } = cluster;
  const workers = pods.filter(({ metadata }) => metadata?.labels?.[RAY_LABELS.nodeType] === 'worker');
  const where = `RayCluster ${name}: the applications run, but no pod gets requests: `;
  const head = excludesHead
    ? 'the head is excluded (spec.excludeHeadPodFromServeSvc)'
    : `the proxy of Ray Serve on the head is not healthy`;
  if (workers.length === 0) return `${where}${head}, and there are no workers`;
  return `${where}${head}, and none of ${workers.length} workers is ready; a worker without a replica is never ready`;
}
