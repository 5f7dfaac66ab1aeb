/** The objects of an incremental upgrade: a Service for each cluster, and a Gateway with a route that divides the requests. */
import type { DesiredResource } from '@muster/common-job-controller';
import { SERVICES, type KubeObject, type RayCluster, type Resource, type Service } from '@muster/job-api';
import { changeOf } from '../cluster/object-change.ts';
import { clusterModel } from '../cluster/ray-settings.ts';
import { checkedName } from '../model/names.ts';
import { servePortOf } from '../model/ports.ts';
import { headGroup, type ClusterModel } from '../model/ray-cluster-model.ts';
import { RAY_LABELS } from '../model/ray-labels.ts';
import { GATEWAYS, gatewayOf, HTTP_ROUTES, httpRouteOf } from '../serve/gateway-objects.ts';
import { WHOLE } from './incremental-upgrade.ts';
import type { ObservedService } from './observed-service.ts';
import { declaredServePorts } from './service-services.ts';
import type { EvaluatedService } from './service-status.ts';

function clusterServeService(cluster: string): string {
  return checkedName(`${cluster}-serve-svc`);
}

interface Routed {
  readonly cluster: RayCluster;
  readonly weight: number;
}

export function incrementalResources({ observed, step }: EvaluatedService): DesiredResource[] {
  const { active, pending } = step;
  if (active === undefined) return [];
  const routed = [active, pending].flatMap((side): Routed[] => {
    const found = observed.clusters.find(({ name }) => name === side?.name);
    const { trafficRoutedPercent: weight = WHOLE.trafficRoutedPercent } = side ?? {};
    return found === undefined ? [] : [{ cluster: found.object, weight }];
  });
  const { services, gateway, route } = routedObjects(observed, routed);
  return [
    ...services.map((object) => ({ resource: SERVICES, object, change: () => undefined })),
    desired(GATEWAYS, gateway),
    ...(routed.length === 0 ? [] : [desired(HTTP_ROUTES, route)]),
  ];
}

/** Edits are reverted. */
function desired(resource: Resource, object: KubeObject): DesiredResource {
  return { resource, object, change: (existing) => changeOf(existing, object, ['spec']) };
}

export function routedObjects(
  service: Pick<ObservedService, 'name' | 'namespace' | 'spec'>,
  routed: readonly Routed[],
) {
  const { gatewayClassName = '' } = service.spec.upgradeStrategy?.clusterUpgradeOptions ?? {};
  const backends = routed.map(({ cluster, weight }) => ({
    service: clusterServeService(cluster.metadata?.name ?? ''),
    port: servePortOf(headGroup(modelOf(cluster))),
    weight,
  }));
  return {
    services: routed.map(({ cluster }) => serviceOf(service, modelOf(cluster))),
    gateway: gatewayOf(service, gatewayClassName),
    route: httpRouteOf(service, backends),
  };
}

function modelOf(cluster: RayCluster): ClusterModel {
  return clusterModel(cluster, { clusterDomain: '' });
}

function serviceOf(
  { namespace, name: rayService }: Pick<ObservedService, 'name' | 'namespace'>,
  cluster: ClusterModel,
): Service {
  const { serviceType = '' } = cluster.spec.headGroupSpec;
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: clusterServeService(cluster.name),
      namespace,
      labels: { [RAY_LABELS.serve]: `${rayService}-serve` },
    },
    spec: {
      ...(serviceType !== '' && { type: serviceType }),
      selector: { [RAY_LABELS.cluster]: cluster.name, [RAY_LABELS.serve]: 'true' },
      ports: declaredServePorts(cluster),
    },
  };
}
