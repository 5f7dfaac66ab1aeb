import { KUBERNETES_VERSION } from './binaries/versions.ts';
import type { ClusterUpOptions } from './cluster-up.ts';

/**
 * By minor release: the served version of PodGroup, the feature gates of gang scheduling, and those of a group's further fields (priority
 * and topology).
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
 * The options of `clusterUp` for a cluster with Kubernetes' own gang scheduling: of this release, or of the default one if this one does
 * not support it.
 */
export function nativeGangs(
  { isWithWishes = false, kubernetesVersion = KUBERNETES_VERSION } = {},
  defaultVersion = KUBERNETES_VERSION,
): Pick<ClusterUpOptions, 'kubernetesVersion' | 'featureGates' | 'apiVersions'> {
  const served = [kubernetesVersion, defaultVersion].find((version) => minorOf(version) in RELEASES);
  const release = served === undefined ? undefined : RELEASES[minorOf(served)];
  if (served === undefined || release === undefined)
    throw new Error(`Gang scheduling of Kubernetes ${minorOf(defaultVersion)} is not known: add it to RELEASES.`);
  const { version, gangs, wishes } = release;
  return {
    kubernetesVersion: served,
    featureGates: isWithWishes ? [...gangs, ...wishes] : gangs,
    apiVersions: [`scheduling.k8s.io/${version}`],
  };
}

function minorOf(version: string): string {
  return version.replace(/\.\d+$/, '');
}
