/** The Service for the hosts of a multi-host replica, also before they are ready. */
import type { Service } from '@muster/job-api';
import { headlessServiceName } from '../model/names.ts';
import { workerGroups, type ClusterModel } from '../model/ray-cluster-model.ts';
import { clusterLabels, RAY_LABELS } from '../model/ray-labels.ts';

/** Undefined if every replica is one pod. */
export function headlessService(cluster: ClusterModel): Service | undefined {
  if (!workerGroups(cluster).some(({ spec }) => (spec.numOfHosts ?? 1) > 1)) return undefined;
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: headlessServiceName(cluster),
      namespace: cluster.namespace,
      labels: { [RAY_LABELS.headlessService]: cluster.name, ...clusterLabels(cluster) },
    },
    spec: {
      clusterIP: 'None',
      publishNotReadyAddresses: true,
      selector: { [RAY_LABELS.cluster]: cluster.name, [RAY_LABELS.nodeType]: 'worker' },
    },
  };
}
