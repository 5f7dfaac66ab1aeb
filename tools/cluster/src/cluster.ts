import { join } from 'node:path';
import { auditLog } from './control-plane/audit-policy.ts';
import { addressPlan, MOST_REAL_NODES, nodeAddressPlan, type AddressPlan } from './address-plan.ts';
import { kubeconfigPath, stateFolder } from './cache-folders.ts';
import type { NodeKind } from './cluster-name.ts';
import type { ClusterState } from './cluster-state.ts';
import type { ProcessIdentity } from './processes/process-identity.ts';

/** A running cluster. */
export interface Cluster {
  name: string;
  node: NodeKind;
  /** The number of nodes. */
  nodes: number;
  /** `x.y.z`: the release of Kubernetes. */
  kubernetesVersion: string;
  /** Path of the administrator's kubeconfig. */
  kubeconfig: string;
  /** `https://<address>:<port>` of the API server, reachable from this machine. */
  server: string;
  /** The folder of all files of the cluster; removed by `down`. */
  stateDir: string;
  /** Only if a namespace is audited: one JSON line for each request of its ServiceAccounts (`audit.k8s.io/v1`). */
  auditLog?: string;
  /** The folder of the cluster's programs, including kubectl, under their plain names. */
  binDir: string;
  /** Only with real nodes: the socket of the first node, where images are imported (`ctr -a <socket> -n k8s.io images import <file>`). */
  containerdSocket?: string;
  /** Only with real nodes: the name of the first, and the address that serves node ports. */
  nodeName?: string;
  nodeAddress?: string;
  /** Only with real nodes: the first process of the first; `nsenter -t <pid> --net --mount --pid` enters the node. */
  nodeInit?: ProcessIdentity;
  /** All real nodes, including the first; each has its own images. */
  realNodes: readonly RealNode[];
}

export interface RealNode {
  name: string;
  address: string;
  containerdSocket: string;
  init: ProcessIdentity;
}

/** The files of a real node on this machine. */
export interface NodePlace {
  name: string;
  folder: string;
  plan: AddressPlan;
  /** The suffix of the names of its components and certificates; empty for the first. */
  suffix: string;
}

/** In the order of the nodes. */
export function nodePlaces({
  name,
  nodes,
  addressIndex,
}: Pick<ClusterState, 'name' | 'nodes' | 'addressIndex'>): NodePlace[] {
  return nodeFolders(stateFolder(name))
    .slice(0, nodes)
    .map((folder, index) => ({
      folder,
      name: index === 0 ? nodeName(name) : `${nodeName(name)}-${index + 1}`,
      plan: nodeAddressPlan(addressIndex, index, nodes),
      suffix: index === 0 ? '' : `-${index + 1}`,
    }));
}

/** The folders of all real nodes that a cluster may have, whether they exist or not. */
export function nodeFolders(folder: string): string[] {
  return Array.from({ length: MOST_REAL_NODES }, (_node, index) =>
    index === 0 ? folder : join(folder, `n${index + 1}`),
  );
}

export function containerdSocket(folder: string): string {
  return join(folder, 'containerd.sock');
}

function nodeName(clusterName: string): string {
  return `${clusterName}-node`;
}

export function clusterFromState(state: ClusterState): Cluster {
  const plan = addressPlan(state.addressIndex);
  const [nodeInit] = state.nodeInits;
  const folder = stateFolder(state.name);
  const isReal = state.node === 'real';
  return {
    name: state.name,
    node: state.node,
    nodes: state.nodes,
    kubernetesVersion: state.kubernetesVersion,
    kubeconfig: kubeconfigPath(state.name),
    server: `https://${isReal ? plan.hostAddress : '127.0.0.1'}:${state.ports.apiServer}`,
    stateDir: folder,
    binDir: join(folder, 'bin'),
    ...(state.auditedNamespace !== undefined && { auditLog: auditLog(folder) }),
    ...(isReal
      ? { containerdSocket: containerdSocket(folder), nodeName: nodeName(state.name), nodeAddress: plan.nodeAddress }
      : {}),
    ...(nodeInit && { nodeInit }),
    realNodes: state.nodeInits.flatMap((init, index) => {
      const place = nodePlaces(state)[index];
      if (place === undefined) return [];
      const { name, plan: own } = place;
      return [{ name, address: own.nodeAddress, containerdSocket: containerdSocket(place.folder), init }];
    }),
  };
}
