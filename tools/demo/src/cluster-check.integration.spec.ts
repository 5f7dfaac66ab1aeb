import { type ClusterAccess, createKubeClient, type Credentials } from '@muster/kube';
import { testCluster } from '@muster/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkCluster, isSimulated } from './cluster-check.ts';
import { DemoError } from './demo-error.ts';

const cluster = await testCluster();

/** Not with the administrator's certificate. */
function clientWith(server: string, credentials: Credentials) {
  const access: ClusterAccess = {
    server,
    namespace: 'default',
    tls: async () => ({ ca: (await cluster.access.tls()).ca ?? '' }),
    headers: () => Promise.resolve(credentials),
    refresh: () => undefined,
  };
  const client = createKubeClient(access, { userAgent: 'spec/1' });
  onTestFinished(() => client.close());
  return client;
}

describe('checkCluster', () => {
  it('accepts an administrator', async () => {
    await checkCluster(cluster.client, 'the file');
  });

  it('names the missing permission and the kubeconfig', async () => {
    const check = checkCluster(cluster.as('without-permissions'), '/home/me/config');
    await expect(check).rejects.toThrow('The account in /home/me/config is not allowed to create namespaces');
    await expect(check).rejects.toThrow(DemoError);
  });

  it('distinguishes refused credentials from a cluster that does not answer', async () => {
    const stranger = clientWith(cluster.access.server, { authorization: 'Bearer unknown' });
    await expect(checkCluster(stranger, 'a')).rejects.toThrow('The cluster refuses the credentials in a');
    const nowhere = clientWith('https://127.0.0.1:1', {});
    await expect(checkCluster(nowhere, 'b')).rejects.toThrow(
      /cluster in b does not answer .*ECONNREFUSED.* check that it runs/,
    );
  });
});

describe('isSimulated', () => {
  it('is true for a local cluster with simulated nodes, and false without permission to list nodes', async () => {
    expect(await isSimulated(cluster.client)).toBe(true);
    expect(await isSimulated(cluster.as('without-permissions'))).toBe(false);
  });
});
