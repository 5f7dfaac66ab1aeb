import { KUBERNETES_VERSION } from './binaries/versions.ts';
import type { ClusterUpOptions } from './cluster-up.ts';

/**
 * By minor release: the version of PodGroup that it serves when it is asked to, the feature gates of gang scheduling, and those of what
 * a group may ask for besides (priority and topology).
 */
const RELEASES: Readonly<Record<string, { version: string; gangs: string[]; wishes: string[] }>> = {
  '1.36': {
    version: 'v1alpha2',
    gangs: ['GenericWorkload', 'GangScheduling'],
    wishes: ['TopologyAwareWorkloadScheduling', 'WorkloadAwarePreemption'],
  },
  '1.37': { version: 'v1beta1', gangs: ['GenericWorkload'], wishes: ['TopologyAwareWorkloadScheduling'] },
};

/**
 * The options of `clusterUp` for a cluster with Kubernetes' own gang scheduling: of this release, or of the default one if this one is
 * too old to have it.
 */
export function nativeGangs({ isWithWishes = false, kubernetesVersion = KUBERNETES_VERSION } = {}): Pick<
  ClusterUpOptions,
  'kubernetesVersion' | 'featureGates' | 'apiVersions'
> {
  const release = RELEASES[kubernetesVersion.replace(/\.\d+$/, '')];
  if (release === undefined) return nativeGangs({ isWithWishes });
  const { version, gangs, wishes } = release;
  return {
    kubernetesVersion,
    featureGates: isWithWishes ? [...gangs, ...wishes] : gangs,
    apiVersions: [`scheduling.k8s.io/${version}`],
  };
}
