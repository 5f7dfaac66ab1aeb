/** Settings of a RayCluster that are valid, but probably mistakes. */
import { parseQuantity } from '@muster/job-api';
import type { Problem } from '@muster/common-job-controller';
import { closedDirections, rulesOf } from '../access/network-policies.ts';
import { hasAutoscaler } from '../autoscaler/autoscaler-version.ts';
import { headGroup, rayContainerOf, workerGroups, type ClusterModel, type RayGroup } from './ray-cluster-model.ts';

/** For events of type Warning, in the order of the manifest. */
export function clusterWarnings(cluster: ClusterModel): Problem[] {
  return [...headMemoryWarning(cluster), ...egressWarnings(cluster)];
}

const ENOUGH_MEMORY = '5Gi';

/** Ray's own processes on the head use memory that Ray does not count. */
function headMemoryWarning(cluster: ClusterModel): Problem[] {
  const limit = rayContainerOf(headGroup(cluster).spec.template)?.resources?.limits?.['memory'];
  const memory = limit === undefined ? undefined : parseQuantity(limit);
  const enough = parseQuantity(ENOUGH_MEMORY);
  if (memory === undefined || enough === undefined || memory.nanos >= enough.nanos) return [];
  return [
    {
      path: 'spec.headGroupSpec.template.spec.containers[0].resources.limits[memory]',
      message: `a head with ${limit} of memory may be killed as its cluster grows: give it ${ENOUGH_MEMORY} or more`,
    },
  ];
}

/** Muster adds no rule for addresses outside the cluster: only the user can choose them. */
function egressWarnings(cluster: ClusterModel): Problem[] {
  if (cluster.spec.networkPolicy === undefined || !closedDirections(cluster).includes('Egress')) return [];
  const closed = (group: RayGroup) => (rulesOf(cluster, group).egressRules ?? []).length === 0;
  const workers = workerGroups(cluster)
    .filter(closed)
    .map(({ name }) => name);
  const path = 'spec.networkPolicy';
  return [
    ...(workers.length === 0
      ? []
      : [
          {
            path,
            message: `workers of ${workers.join(', ')} cannot reach DNS, and so not the head: add an egress rule for port 53`,
          },
        ]),
    ...(hasAutoscaler(cluster) && closed(headGroup(cluster))
      ? [
          {
            path,
            message: 'the autoscaler in the head cannot reach the API server: add an egress rule for it',
          },
        ]
      : []),
  ];
}
