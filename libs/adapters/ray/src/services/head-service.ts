/**
 * The Service of the head: headless, unless the user requests another type or provides a Service. It has the declared
 * ports of the head's Ray container, or else Ray's.
 */
import type { Service, ServicePort } from '@muster/job-api';
import { headServiceName } from '../model/names.ts';
import { portOfGroup } from '../model/ports.ts';
import { headGroup, type ClusterModel } from '../model/ray-cluster-model.ts';
import { clusterLabels, podLabels, RAY_LABELS } from '../model/ray-labels.ts';
import { headPorts, withoutConflicts } from './head-ports.ts';

type Labels = Record<string, string>;

/** Labels of the head's pod that its Service has as well. */
const SHOWN = [
  RAY_LABELS.cluster,
  RAY_LABELS.nodeType,
  RAY_LABELS.identifier,
  RAY_LABELS.appName,
  RAY_LABELS.createdBy,
] as const;

/** @param ports of the head, see `portsOfHead` */
export function headService(cluster: ClusterModel, ports: readonly ServicePort[] = headPorts(cluster)): Service {
  const { headService: users, serviceType = '' } = cluster.spec.headGroupSpec;
  return users === undefined
    ? ownService(cluster, serviceType, ports)
    : usersService(cluster, users, { serviceType, ports });
}

/** The dashboard's port at that Service and its Ingress. */
export function dashboardPort(cluster: ClusterModel, ports: readonly ServicePort[] = headPorts(cluster)): number {
  const named = ports.find(({ name }) => name === 'dashboard');
  return named?.port ?? portOfGroup(headGroup(cluster), 'dashboard');
}

function ownService(cluster: ClusterModel, type: string, headsPorts: readonly ServicePort[]): Service {
  const isHeadless = type === '' || type === 'ClusterIP';
  const ports = headsPorts.toSorted((one, other) => (one.name! < other.name! ? -1 : 1));
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadata(cluster, {}, {}),
    spec: {
      ...(type !== '' && { type }),
      // Workers connect to a head that is starting, and one failed health check must not disconnect them.
      ...(isHeadless && { clusterIP: 'None', publishNotReadyAddresses: true }),
      selector: selectorOf(cluster),
      ports,
    },
  };
}

/** The user's Service with the head's selector; its ports, which get names, precede the missing ones. */
function usersService(
  cluster: ClusterModel,
  { metadata: given, spec }: Service,
  { serviceType, ports }: { readonly serviceType: string; readonly ports: readonly ServicePort[] },
): Service {
  const type = spec?.type ?? serviceType;
  const named = (spec?.ports ?? []).map((port) => ({ ...port, name: port.name || `${port.port}-port` }));
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadata(cluster, given?.labels ?? {}, given?.annotations ?? {}),
    spec: {
      ...spec,
      ...(type !== '' && { type }),
      selector: selectorOf(cluster),
      ports: withoutConflicts([...named, ...ports]),
    },
  };
}

function metadata(cluster: ClusterModel, labels: Labels, annotations: Labels) {
  const all = { ...annotations, ...cluster.spec.headServiceAnnotations };
  return {
    name: headServiceName(cluster),
    namespace: cluster.namespace,
    labels: { ...labels, ...clusterLabels(cluster), ...shownLabels(cluster) },
    ...(Object.keys(all).length > 0 && { annotations: all }),
  };
}

function shownLabels(cluster: ClusterModel): Labels {
  const labels = podLabels(cluster, headGroup(cluster));
  return Object.fromEntries(SHOWN.map((key) => [key, labels[key] ?? '']));
}

/** Only labels that no template can change: a running head stays selected after any change. */
function selectorOf({ name }: ClusterModel): Labels {
  return { [RAY_LABELS.cluster]: name, [RAY_LABELS.nodeType]: 'head' };
}

/** A patch that also removes other labels from the selector. KubeRay also selects by labels of the template. */
export function withExactSelector(existing: Service, service: Service): Service {
  const removed = Object.keys(existing.spec?.selector ?? {}).map((key) => [key, null] as const);
  const selector = { ...Object.fromEntries(removed), ...service.spec?.selector } as Labels;
  return { ...service, spec: { ...service.spec, selector } };
}
