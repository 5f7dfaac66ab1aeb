/** The Services of a RayService: one for the head, and one for requests to its applications. */
import type { DesiredResource } from '@muster/common-job-controller';
import { SERVICES, type KubeObject, type Service, type ServicePort } from '@muster/job-api';
import { changeOf } from '../cluster/object-change.ts';
import { clusterModel } from '../cluster/ray-settings.ts';
import { SERVE_PORT } from '../model/ports.ts';
import { headGroup, rayContainerOf, type ClusterModel } from '../model/ray-cluster-model.ts';
import { RAY_LABELS } from '../model/ray-labels.ts';
import { headService, withExactSelector } from '../services/head-service.ts';
import { isIncremental } from './incremental-upgrade.ts';
import type { ObservedCluster, ObservedService } from './observed-service.ts';
import { headServiceOf, serveServiceOf, serviceLabels } from './service-names.ts';
import type { EvaluatedService } from './service-status.ts';

/** @param existing Services that the RayService controls */
export function serviceResources(
  { observed, step }: EvaluatedService,
  existing: readonly KubeObject[],
): DesiredResource[] {
  const { active, serves, suspension, hasTimedOut } = step;
  if (suspension !== undefined || hasTimedOut || active === undefined) return [];
  // The active cluster is lost: its Services are kept until another one replaces it.
  if (serves === undefined) return existing.map(unchanged);
  const cluster = clusterModel(serves.object, { clusterDomain: observed.clusterDomain });
  if (observed.invalid !== undefined && active.trafficRoutedPercent !== undefined) return existing.map(unchanged);
  if (observed.invalid !== undefined) return existing.map((service) => redirected(service as Service, serves, cluster));
  const [head, serve] = servicesFor(observed, cluster).map(desired);
  if (!isIncremental(observed)) return [head!, serve!];
  // Until the Gateway routes, requests come through the Service of the other strategies.
  const isUsed = existing.some(({ metadata }) => metadata?.name === serve!.object.metadata?.name);
  return observed.routeProblem !== undefined && isUsed ? [head!, serve!] : [head!];
}

/** The Services while this cluster serves. */
export function servicesFor(service: Named, cluster: ClusterModel): Service[] {
  return [ofHead(service, cluster), ofServe(service, cluster)];
}

type Named = Pick<ObservedService, 'name' | 'namespace' | 'spec'>;

function desired(service: Service): DesiredResource {
  const change = (existing: KubeObject) =>
    changeOf(existing, withExactSelector(existing as Service, service), ['spec']);
  return { resource: SERVICES, object: service, change };
}

function unchanged(service: KubeObject): DesiredResource {
  return { resource: SERVICES, object: service, change: () => undefined };
}

/** The spec cannot be read, so only the selected cluster is updated. */
function redirected(service: Service, { name }: ObservedCluster, cluster: ClusterModel): DesiredResource {
  const isOfHead = service.spec?.selector?.[RAY_LABELS.nodeType] !== undefined;
  const selector = isOfHead ? headService(cluster).spec?.selector : serveSelector(name);
  return desired({ ...service, spec: { ...service.spec, ...(selector && { selector }) } });
}

function ofHead({ name, namespace }: Named, cluster: ClusterModel): Service {
  const { metadata, spec } = headService(cluster);
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: headServiceOf(name),
      namespace,
      labels: {
        ...serviceLabels(name),
        [RAY_LABELS.nodeType]: 'head',
        [RAY_LABELS.identifier]: `${name}-head`,
      },
      ...(metadata?.annotations && { annotations: metadata.annotations }),
    },
    ...(spec && { spec }),
  };
}

function ofServe({ name, namespace, spec }: Named, cluster: ClusterModel): Service {
  const { metadata, spec: users } = spec.serveService ?? {};
  const { serviceType = '' } = cluster.spec.headGroupSpec;
  const type = (users as Service['spec'])?.type ?? serviceType;
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: serveServiceOf(name, spec),
      namespace,
      labels: { ...metadata?.labels, ...serviceLabels(name), [RAY_LABELS.serve]: `${name}-serve` },
      ...(metadata?.annotations && { annotations: metadata.annotations }),
    },
    spec: {
      ...users,
      ...(type !== '' && { type }),
      selector: serveSelector(cluster.name),
      ports: servePorts(cluster, (users as Service['spec'])?.ports ?? []),
    },
  };
}

function serveSelector(cluster: string): Record<string, string> {
  return { [RAY_LABELS.cluster]: cluster, [RAY_LABELS.serve]: 'true' };
}

/** The head's ports named `serve` or `serve-…`. A port of the user with such a name replaces it; others are for a head without. */
function servePorts(cluster: ClusterModel, users: readonly ServicePort[]): ServicePort[] {
  const own = declaredServePorts(cluster);
  if (own.length === 0) return users.length > 0 ? [...users] : [portNamed('serve', SERVE_PORT)];
  return own.map((port) => users.find(({ name }) => name === port.name) ?? port);
}

export function declaredServePorts(cluster: ClusterModel): ServicePort[] {
  const declared = rayContainerOf(headGroup(cluster).spec.template)?.ports ?? [];
  if (declared.length === 0) return [portNamed('serve', SERVE_PORT)];
  return declared
    .flatMap(({ name = '', containerPort }) => (/^serve(-|$)/.test(name) ? [portNamed(name, containerPort)] : []))
    .toSorted((one, other) => (one.name! < other.name! ? -1 : 1));
}

function portNamed(name: string, port: number): ServicePort {
  return { name, port, targetPort: port, protocol: 'TCP' };
}
