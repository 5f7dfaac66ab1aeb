/** Finds Leases in all namespaces if permitted, otherwise next to its own. A missing permission is reported once. */
import { LEASES, type Lease } from '@muster/job-api';
import { cacheKey, isKubeError, type KubeClient, type ListOptions, type Logger } from '@muster/kube';
import type { Clock } from '@muster/controller';
import { FRAMEWORK_LABEL, leaseName, overlaps, type LeaseScope } from './lease-scope.ts';

/** The permission may be granted later. */
const RETRY_MS = 600_000;

interface OtherOperatorsOptions {
  client: Pick<KubeClient, 'list'>;
  namespace: string;
  name: string;
  scope: LeaseScope;
  logger: Logger;
  clock: Clock;
}

/** The list is consistent with all writes answered before the call. */
export function otherOperators(options: OtherOperatorsOptions): (signal: AbortSignal) => Promise<Lease[]> {
  const { client, namespace, name, scope, logger, clock } = options;
  let refusedMs: number | undefined;
  const listed = async (where: ListOptions): Promise<Lease[] | undefined> => {
    try {
      return (await client.list(LEASES, where)).items;
    } catch (error) {
      if (isKubeError(error, 'Forbidden')) return undefined;
      throw error;
    }
  };
  const everywhere = async (signal: AbortSignal): Promise<Lease[]> => {
    if (refusedMs !== undefined && clock.monotonic() - refusedMs < RETRY_MS) return [];
    // Operators of earlier releases set no label on their Leases.
    const earlierRelease = { fieldSelector: `metadata.name=${leaseName(scope.framework, [])}` };
    const [labelled, earlier] = await Promise.all([
      listed({ labelSelector: `${FRAMEWORK_LABEL}=${scope.framework}`, signal }),
      listed({ ...earlierRelease, signal }),
    ]);
    if (labelled !== undefined) return [...labelled, ...(earlier ?? [])];
    if (refusedMs === undefined) {
      logger.warn(
        'other operators for the same jobs are detected in one namespace only: grant list of leases (coordination.k8s.io) in all namespaces',
        { namespace },
      );
    }
    refusedMs = clock.monotonic();
    return [];
  };
  return async (signal) => {
    const [ownNamespace = [], all] = await Promise.all([listed({ namespace, signal }), everywhere(signal)]);
    const isOwn = ({ metadata }: Lease) => metadata?.namespace === namespace && metadata.name === name;
    const byKey = new Map([...ownNamespace, ...all].map((lease) => [cacheKey(lease), lease]));
    return [...byKey.values()].filter((lease) => !isOwn(lease) && overlaps(lease, scope));
  };
}
