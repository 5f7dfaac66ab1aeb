/** Adds what client-node leaves out for credential plugins: the protocol version, and `provideClusterInfo`. */
import type { Cluster, User } from '@kubernetes/client-node/dist/config_types.js';

/** As in a kubeconfig. */
export interface ExecPlugin {
  apiVersion?: string;
  command?: string;
  args?: string[] | null;
  env?: { name: string; value: string }[] | null;
  installHint?: string;
  interactiveMode?: 'Never' | 'IfAvailable' | 'Always';
  provideClusterInfo?: boolean;
}

/** Sets `KUBERNETES_EXEC_INFO` in the environment of the user's plugin, if there is one. */
export function withExecInfo(user: User, cluster: Cluster): User {
  if (!user.exec) return user;
  const exec = user.exec as ExecPlugin;
  const info = {
    apiVersion: exec.apiVersion ?? 'client.authentication.k8s.io/v1',
    kind: 'ExecCredential',
    // The library starts plugins on pipes, so they cannot prompt.
    spec: { interactive: false, ...(exec.provideClusterInfo === true ? { cluster: clusterInfo(cluster) } : {}) },
  };
  const env = [...(exec.env ?? []), { name: 'KUBERNETES_EXEC_INFO', value: JSON.stringify(info) }];
  return { ...user, exec: { ...exec, env } };
}

function clusterInfo({ server, caData, caFile, skipTLSVerify, tlsServerName }: Cluster) {
  return {
    server,
    'certificate-authority-data': caData,
    'certificate-authority': caFile,
    'insecure-skip-tls-verify': skipTLSVerify,
    'tls-server-name': tlsServerName,
  };
}
