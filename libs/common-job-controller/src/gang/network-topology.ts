/** How close Volcano places a job's pods in the network, by annotations of the job or, as with KubeRay, labels. */
import type { ObjectMeta, VolcanoPodGroup } from '@muster/job-api';

const MODE = 'volcano.sh/network-topology-mode';
const TIER = 'volcano.sh/network-topology-highest-tier';
const TIER_OF_KUBERAY = 'volcano.sh/network-topology-highest-tier-allowed';
const MODES = ['hard', 'soft'];

type Topology = Pick<NonNullable<VolcanoPodGroup['spec']>, 'networkTopology'>;

/** Empty if Volcano would refuse the group for it. */
export function networkTopology(metadata: ObjectMeta): Topology {
  const { mode, tier } = settingsOf(metadata);
  if (mode === undefined || networkTopologyProblem(metadata) !== undefined) return {};
  return { networkTopology: { mode, ...(tier !== undefined && { highestTierAllowed: Number(tier) }) } };
}

export function networkTopologyProblem(metadata: ObjectMeta): string | undefined {
  const { mode, tier } = settingsOf(metadata);
  const ignored = 'so the network topology is ignored';
  if (mode !== undefined && !MODES.includes(mode)) return `${MODE} is ${mode}, but must be hard or soft, ${ignored}`;
  if (tier === undefined) return undefined;
  if (!/^[1-9]\d{0,5}$/.test(tier)) return `${TIER} is ${tier}, but must be an integer from 1 to 999999, ${ignored}`;
  return mode === undefined ? `${TIER} has no effect without ${MODE}, ${ignored}` : undefined;
}

function settingsOf({ labels, annotations }: ObjectMeta) {
  const all = { ...labels, ...annotations };
  return { mode: all[MODE], tier: all[TIER] ?? all[TIER_OF_KUBERAY] };
}
