/**
 * A kubeconfig with the token of a ServiceAccount that has all rights, like a program in a cluster. A client certificate would change the
 * figures: an API server verifies it with each request, for a tenth of the cost of creating a pod.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVICE_ACCOUNTS, type KubeObject, type Resource } from '@muster/job-api';
import type { ClusterAccess, KubeClient } from '@muster/kube';
import { stringify } from 'yaml';

const NAME = 'muster-bench';
const EXPIRES_SECONDS = 6 * 3600;
const CLUSTER_ROLE_BINDINGS: Resource = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  namespaced: false,
};
const TOKENS: Resource<KubeObject & { spec: object; status?: { readonly token: string } }> = {
  group: '',
  version: 'v1',
  kind: 'TokenRequest',
  plural: `serviceaccounts/${NAME}/token`,
  namespaced: true,
};

export interface TokenKubeconfig extends AsyncDisposable {
  readonly file: string;
}

/** @param namespace of the ServiceAccount, which is deleted with it */
export async function tokenKubeconfig(
  client: KubeClient,
  access: ClusterAccess,
  namespace: string,
): Promise<TokenKubeconfig> {
  await client.create(SERVICE_ACCOUNTS, { metadata: { name: NAME, namespace } });
  const binding = { name: `${NAME}-${namespace}` };
  await client.create(CLUSTER_ROLE_BINDINGS, {
    metadata: binding,
    roleRef: { apiGroup: CLUSTER_ROLE_BINDINGS.group, kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', name: NAME, namespace }],
  } as KubeObject);
  const request = { apiVersion: 'authentication.k8s.io/v1', spec: { expirationSeconds: EXPIRES_SECONDS } };
  const { status } = await client.create(TOKENS, { ...request, metadata: { namespace } });
  const { ca } = await access.tls();
  const folder = await mkdtemp(join(tmpdir(), 'bench-token-'));
  const file = join(folder, 'kubeconfig');
  await writeFile(file, stringify(kubeconfigOf(access.server, ca, status?.token)), { mode: 0o600 });
  return {
    file,
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true });
      await client.delete(CLUSTER_ROLE_BINDINGS, binding);
    },
  };
}

function kubeconfigOf(server: string, authority: string | undefined, token: string | undefined): object {
  const trust =
    authority === undefined ? {} : { 'certificate-authority-data': Buffer.from(authority).toString('base64') };
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: NAME, cluster: { server, ...trust } }],
    users: [{ name: NAME, user: { token } }],
    contexts: [{ name: NAME, context: { cluster: NAME, user: NAME } }],
    'current-context': NAME,
  };
}
