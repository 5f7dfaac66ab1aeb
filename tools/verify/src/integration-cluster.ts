/** The API server of the integration tests, with simulated nodes. */
import { clusterDown, clusterUp, KUBERNETES_VERSION, terminalProgress } from '@muster/cluster';
import type { TestProject } from 'vitest/node';
import { checkoutName } from './checkout-name.ts';
import { keepAudit, makeOperatorAccounts, OPERATORS_NAMESPACE } from './operator-accounts.ts';
import { shareCluster, type UpCluster } from './shared-cluster.ts';

/** `MUSTER_TEST_KUBECONFIG` selects an existing cluster, `MUSTER_TEST_KUBERNETES_VERSION` another release of Kubernetes. */
export default async function integrationCluster(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (process.env.MUSTER_TEST_KUBECONFIG) {
    project.provide('clusterEnv', {});
    return undefined;
  }
  return shareCluster(project, 'integration', bringUp);
}

async function bringUp(): Promise<UpCluster> {
  const kubernetesVersion = process.env.MUSTER_TEST_KUBERNETES_VERSION || KUBERNETES_VERSION;
  const name = checkoutName(kubernetesVersion === KUBERNETES_VERSION ? 'test' : 'test-old');
  const progress = terminalProgress();
  const auditedNamespace = OPERATORS_NAMESPACE;
  const cluster = await clusterUp({ name, node: 'simulated', kubernetesVersion, auditedNamespace, progress });
  try {
    const accounts = await makeOperatorAccounts(cluster, progress);
    return {
      env: {
        MUSTER_TEST_KUBECONFIG: cluster.kubeconfig,
        MUSTER_TEST_OPERATORS: accounts,
        // Deleting hundreds of namespaces one by one would slow down the tests that still run.
        MUSTER_TEST_NAMESPACES_STAY: 'true',
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
