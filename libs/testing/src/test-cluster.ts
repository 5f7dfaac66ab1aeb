/** A real API server for a spec file, from `MUSTER_TEST_KUBECONFIG`. Tests create their own namespaces. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { FrameworkName, KubeObject, Resource } from '@muster/job-api';
import { type ClusterAccess, type ClusterClient, createKubeClient, isKubeError, loadCluster } from '@muster/kube';
import { afterAll } from 'vitest';

export const NAMESPACES: Resource = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
};

export const SERVICE_ACCOUNTS: Resource = {
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  namespaced: true,
};

export interface TestCluster {
  /** As cluster administrator. */
  readonly client: ClusterClient;
  readonly kubeconfig: string;
  readonly access: ClusterAccess;
  /** 37 of Kubernetes 1.37. */
  readonly minorVersion: number;
  /** With the rights of the framework's chart (`MUSTER_TEST_OPERATORS`), or else the administrator's. */
  operatorKubeconfig(framework: FrameworkName): string;
  /** A client of this user, who has no rights until a role is bound. */
  as(user: string): ClusterClient;
  /**
   * Creates a namespace that accepts pods. Deleted after the file's last test, without waiting, unless the whole
   * cluster is (`MUSTER_TEST_NAMESPACES_STAY`).
   */
  namespace(): Promise<string>;
}

/** Call it at the top of a spec file: it cleans up after the file's last test. */
export async function testCluster(): Promise<TestCluster> {
  const kubeconfig = process.env.MUSTER_TEST_KUBECONFIG;
  if (kubeconfig === undefined || kubeconfig === '') {
    throw new Error(
      'MUSTER_TEST_KUBECONFIG is not set: run integration tests with "npm test", which starts an API server, or set it to the kubeconfig of a disposable cluster.',
    );
  }
  const access = await loadCluster({ kubeconfig });
  const client = createKubeClient(access, { userAgent: 'muster-test/0' });
  const minorVersion = await minorVersionOf(client);
  const others: ClusterClient[] = [];
  const namespaces: string[] = [];
  afterAll(async () => {
    if (process.env.MUSTER_TEST_NAMESPACES_STAY !== 'true') {
      await Promise.all(namespaces.map((name) => deleteNamespace(client, name)));
    }
    await Promise.all([client, ...others].map((each) => each.close()));
  });
  return {
    client,
    kubeconfig,
    access,
    minorVersion,
    operatorKubeconfig(framework) {
      const { MUSTER_TEST_OPERATORS: folder = '' } = process.env;
      return folder === '' ? kubeconfig : join(folder, `${framework}.kubeconfig`);
    },
    as(user) {
      const other = createKubeClient(impersonating(access, user), { userAgent: 'muster-test/0' });
      others.push(other);
      return other;
    },
    async namespace() {
      const name = `test-${randomUUID().slice(0, 13)}`;
      namespaces.push(name);
      await client.create(NAMESPACES, { metadata: { name } });
      // Pods require it; a controller-manager may create it first.
      const account: KubeObject = { metadata: { name: 'default', namespace: name } };
      await client.create(SERVICE_ACCOUNTS, account).catch((error: unknown) => {
        if (!isKubeError(error, 'AlreadyExists')) throw error;
      });
      return name;
    },
  };
}

function impersonating(access: ClusterAccess, user: string): ClusterAccess {
  return {
    server: access.server,
    namespace: access.namespace,
    tls: () => access.tls(),
    headers: async () => ({ ...(await access.headers()), 'impersonate-user': user }),
    refresh: () => access.refresh(),
  };
}

async function deleteNamespace(client: ClusterClient, name: string): Promise<void> {
  try {
    await client.delete(NAMESPACES, { name });
  } catch (error) {
    if (!isKubeError(error, 'NotFound', 'Conflict')) throw error;
  }
}

async function minorVersionOf(client: ClusterClient): Promise<number> {
  const { text } = await client.proxied({ method: 'GET', path: '/version' });
  return Number.parseInt((JSON.parse(text) as { readonly minor: string }).minor, 10);
}
