/** Labels of a RayCluster's objects: KubeRay's, so that its clusters are found as well. */
import type { JobLabels } from '@muster/common-job-controller';
import { LABELS } from '@muster/job-api';
import { clusterLabels, podLabels, RAY_LABELS } from '../model/ray-labels.ts';
import { positionLabels } from './replica-positions.ts';
import { groupOfRole, type RayClusterOptions } from './ray-cluster-roles.ts';

export const rayLabels: JobLabels<RayClusterOptions> = {
  selector: { key: RAY_LABELS.cluster },
  ofJob: (name) => clusterLabels({ name }),
  jobOf: ({ [RAY_LABELS.cluster]: cluster }) => cluster,
  ofPod: ({ options: { cluster } }, replica) => ({
    ...podLabels(cluster, groupOfRole(cluster, replica.role)),
    ...positionLabels(replica),
    [LABELS.ordinal]: String(replica.index),
  }),
  replicaOf({ metadata }) {
    const { [RAY_LABELS.group]: group, [LABELS.ordinal]: ordinal = '' } = metadata?.labels ?? {};
    if (group === undefined) return undefined;
    // KubeRay's pods have random names without a number.
    return { role: group.toLowerCase(), ...(/^\d{1,8}$/.test(ordinal) && { index: Number(ordinal) }) };
  },
};
