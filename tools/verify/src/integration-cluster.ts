/** The API server of all integration tests, with simulated nodes: brought up before the first, brought down after the last. */
import { clusterDown, clusterUp, terminalProgress } from '@muster/cluster';
import { checkoutName } from './checkout-name.ts';

/** With `MUSTER_TEST_KUBECONFIG` set the tests use that cluster instead. */
export default async function integrationCluster(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.MUSTER_TEST_KUBECONFIG) return undefined;
  const name = checkoutName('test');
  const progress = terminalProgress();
  const { kubeconfig } = await clusterUp({ name, node: 'simulated', progress });
  process.env.MUSTER_TEST_KUBECONFIG = kubeconfig;
  return async () => {
    await clusterDown({ name, progress });
  };
}
