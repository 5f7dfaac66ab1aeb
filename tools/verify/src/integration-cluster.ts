/** The API server of all integration tests, with simulated nodes: brought up before the first, brought down after the last. */
import { clusterDown, clusterUp, KUBERNETES_VERSION, terminalProgress } from '@muster/cluster';
import { checkoutName } from './checkout-name.ts';

/**
 * With `MUSTER_TEST_KUBECONFIG` set the tests use that cluster instead; with `MUSTER_TEST_KUBERNETES_VERSION` set they
 * have an API server of that release.
 */
export default async function integrationCluster(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.MUSTER_TEST_KUBECONFIG) return undefined;
  const kubernetesVersion = process.env.MUSTER_TEST_KUBERNETES_VERSION || KUBERNETES_VERSION;
  const name = checkoutName(kubernetesVersion === KUBERNETES_VERSION ? 'test' : 'test-old');
  const progress = terminalProgress();
  const { kubeconfig } = await clusterUp({ name, node: 'simulated', kubernetesVersion, progress });
  process.env.MUSTER_TEST_KUBECONFIG = kubeconfig;
  // Deleting hundreds of namespaces one by one would keep the control plane from the tests that still run.
  process.env.MUSTER_TEST_NAMESPACES_STAY = 'true';
  return async () => {
    await clusterDown({ name, progress });
  };
}
