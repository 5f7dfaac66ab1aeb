/**
 * The cluster of all end-to-end tests: a real node, with the images that their jobs run. Brought up before the first,
 * brought down after the last. Linux and root only.
 */
import { delimiter } from 'node:path';
import { clusterDown, clusterUp, terminalProgress } from '@muster/cluster';
import { importImages } from '@muster/images';
import { checkoutName } from './checkout-name.ts';
import { keepAudit, makeOperatorAccounts, OPERATORS_NAMESPACE } from './operator-accounts.ts';

const MPI_IMAGES = ['openmpi-examples', 'mpich-examples', 'kubectl-delivery'] as const;
const RAY_IMAGES = ['ray-examples', 'redis'] as const;

export default async function realNodeCluster(): Promise<() => Promise<void>> {
  const name = checkoutName('e2e');
  const progress = terminalProgress();
  const cluster = await clusterUp({
    name,
    node: 'real',
    auditedNamespace: OPERATORS_NAMESPACE,
    // Kubernetes' own gangs.
    featureGates: ['GenericWorkload', 'GangScheduling'],
    apiVersions: ['scheduling.k8s.io/v1alpha2'],
    progress,
  });
  const down = async () => {
    await clusterDown({ name, progress });
  };
  let accounts = '';
  try {
    const { containerdSocket = '' } = cluster;
    const images = ['torch-examples', 'tensorflow-examples', 'mxnet-examples', ...MPI_IMAGES, ...RAY_IMAGES] as const;
    await importImages(images, { containerdSocket, progress });
    process.env.MUSTER_TEST_KUBECONFIG = cluster.kubeconfig;
    accounts = await makeOperatorAccounts(cluster, progress);
    process.env.MUSTER_TEST_OPERATORS = accounts;
    process.env.MUSTER_E2E_CONTAINERD_SOCKET = containerdSocket;
    process.env.PATH = `${cluster.binDir}${delimiter}${process.env.PATH ?? ''}`;
  } catch (error) {
    await down();
    throw error;
  }
  return async () => {
    await keepAudit(cluster, accounts, name);
    await down();
  };
}
