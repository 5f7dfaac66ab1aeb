/** `rayStartParams` override computed parameters, except for `block` (required) and the group's own fields. */
import type { Container } from '@muster/job-api';
import { hasAutoscaler } from '../autoscaler/autoscaler-version.ts';
import { redisStartParams } from '../fault-tolerance/redis.ts';
import { headAddress } from '../model/names.ts';
import { gcsPort, portOfGroup } from '../model/ports.ts';
import type { ClusterModel, RayGroup } from '../model/ray-cluster-model.ts';
import { groupResourceParams, withContainerResources, type StartParams } from './ray-resources.ts';

/** @param container the final Ray container, for its requests and limits */
export function startParams(
  cluster: ClusterModel,
  group: RayGroup,
  container: Pick<Container, 'resources'>,
): StartParams {
  const params = {
    ...(group.kind === 'head'
      ? { 'dashboard-host': '0.0.0.0' }
      : { address: `${headAddress(cluster)}:${gcsPort(cluster)}` }),
    'metrics-export-port': String(portOfGroup(group, 'metrics')),
    'dashboard-agent-listen-port': String(portOfGroup(group, 'agent')),
    ...group.spec.rayStartParams,
    block: 'true',
    ...groupResourceParams(group.spec.resources),
    ...labelParams(group.spec.labels),
    ...(group.kind === 'head' && headParams(cluster)),
  };
  return withContainerResources(params, container, cluster);
}

/** Ray's own monitor does not support Kubernetes: the autoscaler's container replaces it. */
function headParams(cluster: ClusterModel): StartParams {
  return { ...(hasAutoscaler(cluster) && { 'no-monitor': 'true' }), ...redisStartParams(cluster) };
}

function labelParams(labels: Readonly<Record<string, string>> = {}): StartParams {
  const pairs = Object.keys(labels)
    .sort()
    .map((key) => `${key}=${labels[key]}`);
  return pairs.length === 0 ? {} : { labels: pairs.join(',') };
}
