/**
 * How near to one another in the network Volcano is to place the pods of a job, as Volcano's users say it: by annotations of the
 * job, or, as with KubeRay, by labels.
 */
import type { ObjectMeta, VolcanoPodGroup } from '@muster/job-api';

const MODE = 'volcano.sh/network-topology-mode';
const TIER = 'volcano.sh/network-topology-highest-tier';
const TIER_OF_KUBERAY = 'volcano.sh/network-topology-highest-tier-allowed';
const MODES = ['hard', 'soft'];

type Topology = Pick<NonNullable<VolcanoPodGroup['spec']>, 'networkTopology'>;

/** Nothing of what Volcano would refuse the whole group for. */
export function networkTopology(metadata: ObjectMeta): Topology {
  const { mode, tier } = said(metadata);
  if (mode === undefined || networkTopologyProblem(metadata) !== undefined) return {};
  return { networkTopology: { mode, ...(tier !== undefined && { highestTierAllowed: Number(tier) }) } };
}

export function networkTopologyProblem(metadata: ObjectMeta): string | undefined {
  const { mode, tier } = said(metadata);
  const ignored = 'so the pods are placed without regard to the network';
  if (mode !== undefined && !MODES.includes(mode)) return `${MODE} is ${mode}, and has to be hard or soft, ${ignored}`;
  if (tier === undefined) return undefined;
  if (!/^[1-9]\d{0,5}$/.test(tier)) return `${TIER} is ${tier}, and has to be a whole number from 1 on, ${ignored}`;
  return mode === undefined ? `${TIER} has no meaning without ${MODE}, ${ignored}` : undefined;
}

function said({ labels, annotations }: ObjectMeta) {
  const all = { ...labels, ...annotations };
  return { mode: all[MODE], tier: all[TIER] ?? all[TIER_OF_KUBERAY] };
}
