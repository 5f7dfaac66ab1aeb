/** The workers in `discover_hosts.sh`, for elastic programs. */
import { isFoundBy, isReady, isToCreate, type JobContext, type ReplicaPod } from '@muster/common-job-controller';
import { ENDPOINT_SLICES, SERVICES, type EndpointSlice, type Service } from '@muster/job-api';
import type { MPIModel } from '../generations/mpi-model.ts';

/**
 * The indexes of running workers that a launcher can reach: for ssh their DNS names have to resolve. If all are ready,
 * the EndpointSlices are written before the script.
 */
export function reachableWorkers(
  { transport, serviceName }: Pick<MPIModel, 'transport' | 'serviceName'>,
  replicas: readonly ReplicaPod[],
  { ownedResources }: Pick<JobContext, 'ownedResources'>,
): number[] {
  const workers = replicas.filter(({ role }) => role.name === 'Worker');
  const running = workers.filter(({ state }) => state === 'running');
  const indexes = running.map(({ index }) => index);
  if (workers.every(({ pod }) => isReady(pod))) return indexes;
  // Only the launcher reads the script.
  if (replicas.some((replica) => replica.role.name === 'Launcher' && isToCreate(replica))) return [];
  if (transport === 'exec') return indexes;
  const of = <T>(resource: unknown) =>
    ownedResources.flatMap(({ kind, object }) => (kind.resource === resource ? (object as T) : []));
  const service = of<Service>(SERVICES).find(({ metadata }) => metadata?.name === serviceName);
  // The endpoints controller of Kubernetes adds each worker by itself.
  if (service?.spec?.selector !== undefined) return indexes;
  const isFound = isFoundBy(of<EndpointSlice>(ENDPOINT_SLICES));
  return running.filter(({ pod }) => pod !== undefined && isFound(pod)).map(({ index }) => index);
}
