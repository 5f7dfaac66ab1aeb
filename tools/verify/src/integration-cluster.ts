/** The API server of all integration tests, with simulated nodes: brought up before the first, brought down after the last. */
import { clusterDown, clusterUp, KUBERNETES_VERSION, terminalProgress } from '@muster/cluster';
import { checkoutName } from './checkout-name.ts';
import { keepAudit, makeOperatorAccounts, OPERATORS_NAMESPACE } from './operator-accounts.ts';

/**
 * With `MUSTER_TEST_KUBECONFIG` set the tests use that cluster instead; with `MUSTER_TEST_KUBERNETES_VERSION` set they
 * have an API server of that release.
 */
export default async function integrationCluster(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.MUSTER_TEST_KUBECONFIG) return undefined;
  const kubernetesVersion = process.env.MUSTER_TEST_KUBERNETES_VERSION || KUBERNETES_VERSION;
  const name = checkoutName(kubernetesVersion === KUBERNETES_VERSION ? 'test' : 'test-old');
  const progress = terminalProgress();
  const auditedNamespace = OPERATORS_NAMESPACE;
  const cluster = await clusterUp({ name, node: 'simulated', kubernetesVersion, auditedNamespace, progress });
  const down = () => clusterDown({ name, progress });
  const accounts = await makeOperatorAccounts(cluster, progress).catch(async (error: unknown) => {
    await down();
    throw error;
  });
  process.env.MUSTER_TEST_KUBECONFIG = cluster.kubeconfig;
  process.env.MUSTER_TEST_OPERATORS = accounts;
  // Deleting hundreds of namespaces one by one would keep the control plane from the tests that still run.
  process.env.MUSTER_TEST_NAMESPACES_STAY = 'true';
  return async () => {
    await keepAudit(cluster, accounts, name);
    await down();
  };
}
