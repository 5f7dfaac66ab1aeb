import { join } from 'node:path';
import { auditLog } from './control-plane/audit-policy.ts';
import { addressPlan } from './address-plan.ts';
import { kubeconfigPath, stateFolder } from './cache-folders.ts';
import type { NodeKind } from './cluster-name.ts';
import type { ClusterState } from './cluster-state.ts';
import type { ProcessIdentity } from './processes/process-identity.ts';

/** A cluster that is up. */
export interface Cluster {
  name: string;
  node: NodeKind;
  /** How many nodes it has; 1 for a real one. */
  nodes: number;
  /** `x.y.z`: the release of Kubernetes that it runs. */
  kubernetesVersion: string;
  /** Path of the administrator's kubeconfig. */
  kubeconfig: string;
  /** `https://<address>:<port>` of the API server, reachable from this machine. */
  server: string;
  /** Holds everything the cluster writes; removed by `down`. */
  stateDir: string;
  /** Only where a namespace is audited: one JSON line for each request of its ServiceAccounts (`audit.k8s.io/v1`). */
  auditLog?: string;
  /** Holds the programs the cluster runs, kubectl among them, under their plain names. */
  binDir: string;
  /** Only with a real node: where images are imported (`ctr -a <socket> -n k8s.io images import <file>`). */
  containerdSocket?: string;
  /** Only with a real node: its name and the address on which node ports answer. */
  nodeName?: string;
  nodeAddress?: string;
  /** Only with a real node: its first process; `nsenter -t <pid> --net --mount --pid` enters the node. */
  nodeInit?: ProcessIdentity;
}

export function containerdSocket(folder: string): string {
  return join(folder, 'containerd.sock');
}

export function nodeName(clusterName: string): string {
  return `${clusterName}-node`;
}

export function clusterFromState(state: ClusterState): Cluster {
  const plan = addressPlan(state.addressIndex);
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
    ...(state.nodeInit === undefined ? {} : { nodeInit: state.nodeInit }),
  };
}
