/**
 * Leases whose holder has ended. `helm uninstall` may delete an operator's permissions before it releases its Lease, and a killed
 * operator does not release it. As operators do, preflight waits for a renewal for the duration of the Lease, without comparing
 * clocks.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { LEASES, type Lease } from '@muster/job-api';
import { isKubeError, type KubeClient } from '@muster/kube';

/** Leases of a longer duration count as held, so that preflight does not wait for minutes. */
const LONGEST_MS = 60_000;
const POLL_MS = 500;
/** A renewal may reach the API server late. */
const MARGIN_MS = 1_000;

/** Whether a missing renewal shows that the holder has ended: the Lease needs a duration and an earlier renewal. */
export function isExpiryObservable(lease: Lease): boolean {
  const { metadata, spec } = lease;
  const durationMs = lastsMs(lease);
  const isWhole = metadata?.namespace !== undefined && metadata.name !== undefined && spec?.renewTime !== undefined;
  return isWhole && durationMs > 0 && durationMs <= LONGEST_MS;
}

/** How long `expiredLeases` takes at most. */
export function watchedForMs(leases: readonly Lease[]): number {
  return Math.max(0, ...leases.map((lease) => lastsMs(lease) + MARGIN_MS));
}

/** The Leases that are released, deleted, or not renewed within their duration. */
export async function expiredLeases(client: KubeClient, leases: readonly Lease[]): Promise<Lease[]> {
  const silent = await Promise.all(leases.map((lease) => isSilent(client, lease)));
  return leases.filter((_lease, index) => silent[index]);
}

async function isSilent(client: KubeClient, lease: Lease): Promise<boolean> {
  const { namespace = '', name = '' } = lease.metadata ?? {};
  const end = performance.now() + watchedForMs([lease]);
  while (performance.now() < end) {
    await sleep(POLL_MS);
    const now = await client.get(LEASES, { namespace, name }).catch((error: unknown) => {
      if (isKubeError(error, 'NotFound')) return undefined;
      throw error;
    });
    if ((now?.spec?.holderIdentity ?? '') === '') return true;
    if (now?.spec?.renewTime !== lease.spec?.renewTime) return false;
  }
  return true;
}

function lastsMs({ spec }: Lease): number {
  return (spec?.leaseDurationSeconds ?? 0) * 1000;
}
