/** The cluster of the end-to-end tests: a real node with the images of their jobs. Linux and root only. */
import { clusterDown, clusterUp, nativeGangs, terminalProgress } from '@muster/cluster';
import { importImages } from '@muster/images';
import type { TestProject } from 'vitest/node';
import { checkoutName } from './checkout-name.ts';
import { E2E_IMAGES } from './e2e-images.ts';
import { keepAudit, makeOperatorAccounts, OPERATORS_NAMESPACE } from './operator-accounts.ts';
import { shareCluster, type UpCluster } from './shared-cluster.ts';

export default function realNodeCluster(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  return shareCluster(project, 'e2e', bringUp);
}

async function bringUp(): Promise<UpCluster> {
  const name = checkoutName('e2e');
  const progress = terminalProgress();
  const cluster = await clusterUp({
    name,
    node: 'real',
    auditedNamespace: OPERATORS_NAMESPACE,
    // For Kubernetes' own gang scheduling.
    ...nativeGangs(),
    progress,
  });
  try {
    const { containerdSocket = '' } = cluster;
    await importImages(E2E_IMAGES, { containerdSocket, progress });
    const accounts = await makeOperatorAccounts(cluster, progress);
    return {
      env: {
        MUSTER_TEST_KUBECONFIG: cluster.kubeconfig,
        MUSTER_TEST_OPERATORS: accounts,
        MUSTER_E2E_CONTAINERD_SOCKET: containerdSocket,
        PATH_FIRST: cluster.binDir,
      },
      async down() {
        await keepAudit(cluster, accounts, name);
        await clusterDown({ name, progress });
      },
    };
  } catch (error) {
    await clusterDown({ name, progress });
    throw error;
  }
}
