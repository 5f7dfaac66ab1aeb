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
  it('is content with an administrator', async () => {
    await checkCluster(cluster.client, 'the file');
  });

  it('names what an account may not do, and in which kubeconfig it is', async () => {
    const check = checkCluster(cluster.as('nobody-in-particular'), '/home/me/config');
    await expect(check).rejects.toThrow('The account of /home/me/config may not create namespaces');
    await expect(check).rejects.toThrow(DemoError);
  });

  it('tells refused credentials from a cluster that does not answer', async () => {
    const stranger = clientWith(cluster.access.server, { authorization: 'Bearer unknown' });
    await expect(checkCluster(stranger, 'a')).rejects.toThrow('The cluster refuses the credentials in a');
    const nowhere = clientWith('https://127.0.0.1:1', {});
    await expect(checkCluster(nowhere, 'b')).rejects.toThrow(/cluster of b does not answer .*ECONNREFUSED.* is it up/);
  });
});

describe('isSimulated', () => {
  it('is said of a local cluster with simulated nodes, and of none whose nodes are not to be seen', async () => {
    expect(await isSimulated(cluster.client)).toBe(true);
    expect(await isSimulated(cluster.as('nobody-in-particular'))).toBe(false);
  });
});
