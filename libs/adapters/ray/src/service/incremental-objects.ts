/** The objects of an incremental upgrade: a Service for each cluster, and a Gateway with a route that divides the requests. */
import type { DesiredResource } from '@muster/common-job-controller';
import { SERVICES, type KubeObject, type Resource, type Service } from '@muster/job-api';
import { changeOf } from '../cluster/object-change.ts';
import { clusterModel } from '../cluster/ray-settings.ts';
import { checkedName } from '../model/names.ts';
import { servePortOf } from '../model/ports.ts';
import { headGroup } from '../model/ray-cluster-model.ts';
import { RAY_LABELS } from '../model/ray-labels.ts';
import { GATEWAYS, gatewayOf, HTTP_ROUTES, httpRouteOf } from '../serve/gateway-objects.ts';
import { WHOLE } from './incremental-upgrade.ts';
import type { ObservedCluster, ObservedService } from './observed-service.ts';
import type { SideRecord } from './service-record.ts';
import { declaredServePorts } from './service-services.ts';
import type { EvaluatedService } from './service-status.ts';

export function clusterServeService(cluster: string): string {
  return checkedName(`${cluster}-serve-svc`);
}

export function incrementalResources({ observed, step }: EvaluatedService): DesiredResource[] {
  const { active, pending } = step;
  if (active === undefined) return [];
  const sides = [active, pending].flatMap((side) => {
    const cluster = observed.clusters.find(({ name }) => name === side?.name);
    return side === undefined || cluster === undefined ? [] : [{ side, cluster }];
  });
  const { gatewayClassName = '' } = observed.spec.upgradeStrategy?.clusterUpgradeOptions ?? {};
  const backends = sides.map(({ side, cluster }) => backendOf(side, cluster));
  return [
    ...sides.map(({ cluster }) => serviceOf(observed, cluster)),
    desired(GATEWAYS, gatewayOf(observed, gatewayClassName)),
    ...(backends.length === 0 ? [] : [desired(HTTP_ROUTES, httpRouteOf(observed, backends))]),
  ];
}

/** Edits are reverted. */
function desired(resource: Resource, object: KubeObject): DesiredResource {
  return { resource, object, change: (existing) => changeOf(existing, object, ['spec']) };
}

function backendOf(
  { trafficRoutedPercent = WHOLE.trafficRoutedPercent }: SideRecord,
  { name, object }: ObservedCluster,
) {
  const port = servePortOf(headGroup(clusterModel(object, { clusterDomain: '' })));
  return { service: clusterServeService(name), port, weight: trafficRoutedPercent };
}

function serviceOf(
  { namespace, name: rayService }: ObservedService,
  { name, object }: ObservedCluster,
): DesiredResource {
  const cluster = clusterModel(object, { clusterDomain: '' });
  const { serviceType = '' } = cluster.spec.headGroupSpec;
  const service: Service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: clusterServeService(name), namespace, labels: { [RAY_LABELS.serve]: `${rayService}-serve` } },
    spec: {
      ...(serviceType !== '' && { type: serviceType }),
      selector: { [RAY_LABELS.cluster]: name, [RAY_LABELS.serve]: 'true' },
      ports: declaredServePorts(cluster),
    },
  };
  return { resource: SERVICES, object: service, change: () => undefined };
}
