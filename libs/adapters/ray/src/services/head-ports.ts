/**
 * The ports of the head's Service, without the user's. A head listens on the ports of the spec from which it was
 * created, so they are an annotation of its pod: the Service has the user's ports as well.
 */
import type { JobContext, Replica } from '@muster/common-job-controller';
import { ANNOTATIONS, SERVICES, type Pod, type Service, type ServicePort } from '@muster/job-api';
import { headServiceName } from '../model/names.ts';
import { portOfGroup, SERVE_PORT } from '../model/ports.ts';
import { HEAD_GROUP, headGroup, rayContainerOf, type ClusterModel } from '../model/ray-cluster-model.ts';
import { RAY_ANNOTATIONS } from '../model/ray-labels.ts';
import { recreateHash } from '../recreate-hash.ts';

type Owned = Pick<JobContext, 'ownedResources'>;

/**
 * The ports of the current spec, or of the running head if it was created from another one. Without the annotation, as
 * after a takeover, all ports of the current Service.
 */
export function portsOfHead(cluster: ClusterModel, head: Pod | undefined, owned: Owned): ServicePort[] {
  if (head === undefined || isMadeFrom(cluster, head)) return headPorts(cluster);
  const { ports } = existingService(cluster, owned)?.spec ?? {};
  // Kubernetes keeps the node ports of kept ports, and refuses them in a Service of another type.
  return portsOn(head) ?? ports?.map(({ nodePort: _nodePort, ...port }) => port) ?? headPorts(cluster);
}

/** On the pod of a new head. */
export function headPortsAnnotation(cluster: ClusterModel): Record<string, string> {
  return { [ANNOTATIONS.headPorts]: format(headPorts(cluster)) };
}

/**
 * For a running head without the annotation, such as KubeRay's: its ports if it was created from the current spec, or
 * else those of its Service that are not the user's. Undefined: none is written.
 */
export function addedHeadPorts(
  { options: { cluster } }: { readonly options: { readonly cluster: ClusterModel } },
  { role, pod }: Replica & { readonly pod?: Pod },
  owned: Owned,
): string | undefined {
  if (role.name !== HEAD_GROUP || pod === undefined || portsOn(pod) !== undefined) return undefined;
  if (isMadeFrom(cluster, pod)) return format(headPorts(cluster));
  const ports = existingService(cluster, owned)?.spec?.ports;
  const users = cluster.spec.headGroupSpec.headService?.spec?.ports ?? [];
  const others = ports?.filter((port) => withoutConflicts([...users, port]).length > withoutConflicts(users).length);
  return others && format(others);
}

/** False for a pod without the hash, such as KubeRay's. */
function isMadeFrom({ spec }: ClusterModel, { metadata }: Pod): boolean {
  return metadata?.annotations?.[RAY_ANNOTATIONS.recreateHash] === recreateHash(spec);
}

function existingService(cluster: ClusterModel, { ownedResources }: Owned): Service | undefined {
  const name = headServiceName(cluster);
  return ownedResources.find(({ kind, object }) => kind.resource === SERVICES && object.metadata?.name === name)
    ?.object as Service | undefined;
}

/** `dashboard=8265/TCP,metrics=8080/TCP` */
function format(ports: readonly ServicePort[]): string {
  return ports.map(({ name = '', port, protocol = 'TCP' }) => `${name}=${port}/${protocol}`).join();
}

function portsOn({ metadata }: Pod): ServicePort[] | undefined {
  const each = metadata?.annotations?.[ANNOTATIONS.headPorts]?.split(',').map((text) => {
    const [, name, port, protocol] = /^([a-z0-9-]*)=(\d{1,5})\/([A-Z]+)$/.exec(text) ?? [];
    return name === undefined ? undefined : servicePort(name, Number(port), protocol);
  });
  return each?.every((port) => port !== undefined) === true ? each : undefined;
}

/** The declared ports of the Ray container, or Ray's defaults; always one for metrics. Numbers: names may differ. */
export function headPorts(cluster: ClusterModel): ServicePort[] {
  const head = headGroup(cluster);
  const declared = rayContainerOf(head.spec.template)?.ports ?? [];
  const metrics = servicePort('metrics', portOfGroup(head, 'metrics'));
  if (declared.length === 0) {
    // Two parameters may have the same number, which Ray reports.
    return withoutConflicts([
      servicePort('client', portOfGroup(head, 'client')),
      servicePort('dashboard', portOfGroup(head, 'dashboard')),
      servicePort('gcs-server', portOfGroup(head, 'gcs')),
      metrics,
      servicePort('serve', SERVE_PORT),
    ]);
  }
  const ports = declared.map(({ name = '', containerPort, protocol }) =>
    servicePort(name === '' ? `${containerPort}-port` : name, containerPort, protocol),
  );
  return withoutConflicts([...ports, metrics]);
}

function servicePort(name: string, port: number, protocol = 'TCP'): ServicePort {
  return { name, protocol, port, targetPort: port, ...(protocol === 'TCP' && { appProtocol: 'tcp' }) };
}

/** Kubernetes refuses duplicate port names, or duplicate numbers of a protocol: the first port is kept. */
export function withoutConflicts(ports: readonly ServicePort[]): ServicePort[] {
  const keysOf = ({ name, port, protocol = 'TCP' }: ServicePort) => [`name ${name}`, `${protocol} ${port}`];
  const taken = new Set<string>();
  return ports.filter((port) => {
    const keys = keysOf(port);
    if (keys.some((key) => taken.has(key))) return false;
    keys.forEach((key) => taken.add(key));
    return true;
  });
}
