/** A namespace for one spec file on the real API server, and clients for it. */
import { randomBytes } from 'node:crypto';
import type { Resource } from '@muster/job-api';
import { createKubeClient, loadCluster, type ClusterAccess, type ClusterClient } from '@muster/kube';

const NAMESPACES: Resource = { group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false };

export class TestNamespace {
  readonly name: string;
  readonly access: ClusterAccess;
  readonly client: ClusterClient;

  private constructor(name: string, access: ClusterAccess) {
    this.name = name;
    this.access = access;
    this.client = createKubeClient(access, { userAgent: 'controller-spec/1' });
  }

  static async create(prefix: string): Promise<TestNamespace> {
    const kubeconfig = process.env['MUSTER_TEST_KUBECONFIG'];
    if (kubeconfig === undefined) {
      throw new Error('set MUSTER_TEST_KUBECONFIG to the kubeconfig of an API server, or run the integration project');
    }
    const access = await loadCluster({ kubeconfig });
    const namespace = new TestNamespace(`${prefix}-${randomBytes(3).toString('hex')}`, access);
    await namespace.client.create(NAMESPACES, { metadata: { name: namespace.name } });
    return namespace;
  }

  connect(server: string): ClusterClient {
    return createKubeClient({ ...this.access, server }, { userAgent: 'controller-spec/1' });
  }

  async delete(): Promise<void> {
    await this.client.delete(NAMESPACES, { name: this.name });
    await this.client.close();
  }
}
