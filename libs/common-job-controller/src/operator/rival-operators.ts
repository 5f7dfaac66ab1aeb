/**
 * Finds the Leases of other operators that run the same jobs: in all namespaces where this one may list Leases there, else beside its own Lease.
 * A right that is missing is reported once, and keeps no operator from its work.
 */
import { LEASES, type Lease } from '@muster/job-api';
import { isKubeError, type KubeClient, type ListOptions, type Logger } from '@muster/kube';
import type { Clock } from '@muster/controller';
import { FRAMEWORK_LABEL, leaseName, overlaps, type LeaseScope } from './lease-scope.ts';

/** After a refusal; a right may be granted later. */
const ASK_AGAIN_MS = 600_000;

export interface RivalOperatorsOptions {
  client: Pick<KubeClient, 'list'>;
  /** Of the own Lease. */
  namespace: string;
  name: string;
  scope: LeaseScope;
  logger: Logger;
  clock: Clock;
}

/** Lists them; every write that was answered before the call shows. */
export function rivalOperators(options: RivalOperatorsOptions): (signal: AbortSignal) => Promise<Lease[]> {
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
    if (refusedMs !== undefined && clock.monotonic() - refusedMs < ASK_AGAIN_MS) return [];
    // Operators of earlier releases write no label on their Leases.
    const ofEarlier = { fieldSelector: `metadata.name=${leaseName(scope.framework, [])}` };
    const [labelled, earlier] = await Promise.all([
      listed({ labelSelector: `${FRAMEWORK_LABEL}=${scope.framework}`, signal }),
      listed({ ...ofEarlier, signal }),
    ]);
    if (labelled !== undefined) return [...labelled, ...(earlier ?? [])];
    if (refusedMs === undefined) {
      logger.warn(
        'other operators that run the same jobs are looked for in one namespace only: allow list of leases (coordination.k8s.io) in all namespaces',
        { namespace },
      );
    }
    refusedMs = clock.monotonic();
    return [];
  };
  return async (signal) => {
    const [beside = [], all] = await Promise.all([listed({ namespace, signal }), everywhere(signal)]);
    const isOwn = ({ metadata }: Lease) => metadata?.namespace === namespace && metadata.name === name;
    const byKey = new Map([...beside, ...all].map((lease) => [keyOf(lease), lease]));
    return [...byKey.values()].filter((lease) => !isOwn(lease) && overlaps(lease, scope));
  };
}

function keyOf({ metadata }: Lease): string {
  return `${metadata?.namespace}/${metadata?.name}`;
}
