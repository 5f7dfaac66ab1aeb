import { ClusterError } from './cluster-error.ts';

export const DEFAULT_CLUSTER_NAME = 'muster';

/** The nodes of a cluster: simulated by kwok, or this machine with a kubelet. */
export const NODE_KINDS = ['simulated', 'real'] as const;
export type NodeKind = (typeof NODE_KINDS)[number];

/** Returns the name, or throws a ClusterError if it is invalid: it is part of folder, certificate and Kubernetes node names. */
export function checkClusterName(name: string): string {
  if (!/^[a-z0-9-]{1,20}$/.test(name) || name.startsWith('-') || name.endsWith('-')) {
    throw new ClusterError(
      `"${name}" cannot name a cluster: use 1 to 20 of a-z, 0-9 and "-", with a letter or digit at both ends.`,
    );
  }
  return name;
}

/** Returns the node kind, or throws a ClusterError that lists the choices. */
export function checkNodeKind(kind: string): NodeKind {
  const known = NODE_KINDS.find((candidate) => candidate === kind);
  if (known === undefined)
    throw new ClusterError(`"${kind}" is no kind of node: choose one of ${NODE_KINDS.join(', ')}.`);
  return known;
}
