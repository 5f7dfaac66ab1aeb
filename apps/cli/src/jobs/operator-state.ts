/** Whether an operator leads for a kind of jobs, by the Leases of its framework in all namespaces that the user may read. */
import type { KubeObject, Resource } from '@muster/job-api';
import { isKubeError, type KubeClient } from '@muster/kube';
import { age } from '../terminal/age.ts';

type Lease = KubeObject & {
  spec?: { holderIdentity?: string; renewTime?: string; leaseDurationSeconds?: number };
};

const LEASES: Resource<Lease> = {
  ...{ group: 'coordination.k8s.io', version: 'v1', kind: 'Lease', plural: 'leases', namespaced: true },
};

/** Tolerance for differing clocks. */
const GRACE_MS = 60_000;

/**
 * Whether an operator leads, with a sentence about it. Undefined if Leases cannot be read.
 *
 * @param framework the name of its chart
 */
export async function operatorState(
  client: KubeClient,
  framework: string,
  nowMs: number,
): Promise<{ readonly leads: boolean; readonly note: string } | undefined> {
  let leases: readonly Lease[];
  try {
    leases = (await client.list(LEASES)).items;
  } catch (error) {
    if (!isKubeError(error, 'Forbidden')) throw error;
    return undefined;
  }
  const isOf = new RegExp(`^muster-${framework.replace(/-elastic$/, '(-elastic)?')}(-|$)`);
  const own = leases.filter(({ metadata }) => isOf.test(metadata?.name ?? ''));
  const [newest] = own.toSorted((a, b) => (b.spec?.renewTime ?? '').localeCompare(a.spec?.renewTime ?? ''));
  if (newest === undefined) return { leads: false, note: `No namespace has a Lease of an operator for ${framework}.` };
  const { holderIdentity = '', renewTime, leaseDurationSeconds = 15 } = newest.spec ?? {};
  const where = `${newest.metadata?.namespace}/${newest.metadata?.name}`;
  const ageMs = nowMs - Date.parse(renewTime ?? '');
  if (holderIdentity === '')
    return { leads: false, note: `The Lease ${where} has no holder: its operator has stopped.` };
  if (!(ageMs < leaseDurationSeconds * 1000 + GRACE_MS))
    return {
      leads: false,
      note: `The Lease ${where} was last renewed ${age(renewTime, nowMs)} ago: its operator does not run.`,
    };
  return { leads: true, note: `${holderIdentity} leads with the Lease ${where}.` };
}
