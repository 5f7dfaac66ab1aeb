/**
 * Where scenarios run: the cluster of $MUSTER_TEST_KUBECONFIG, else a simulated one that is brought up for the purpose
 * and taken down afterwards; on it the CRDs and a namespace of the run's own.
 */
import { randomUUID } from 'node:crypto';
import { clusterDown, clusterUp, terminalProgress } from '@muster/cluster';
import { crdFor, CUSTOM_RESOURCE_DEFINITIONS, pytorchJobDefinition, type Resource } from '@muster/job-api';
import { createKubeClient, loadCluster } from '@muster/kube';

const CLUSTER_NAME = 'bench';

const NAMESPACES: Resource = { group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false };

export interface Place {
  readonly kubeconfig: string;
  readonly namespace: string;
}

/** Calls `run` with a cluster that is ready; cleans up after it, whatever becomes of it. */
export async function onBenchCluster<T>(run: (place: Place) => Promise<T>): Promise<T> {
  const given = process.env['MUSTER_TEST_KUBECONFIG'];
  if (given !== undefined && given !== '') return inNamespace(given, run);
  const progress = terminalProgress();
  const cluster = await clusterUp({ name: CLUSTER_NAME, node: 'simulated', progress });
  try {
    return await inNamespace(cluster.kubeconfig, run);
  } finally {
    await clusterDown({ name: CLUSTER_NAME, progress });
  }
}

async function inNamespace<T>(kubeconfig: string, run: (place: Place) => Promise<T>): Promise<T> {
  const client = createKubeClient(await loadCluster({ kubeconfig }), { userAgent: 'muster-bench' });
  const namespace = `bench-${randomUUID().slice(0, 8)}`;
  try {
    await client.apply(CUSTOM_RESOURCE_DEFINITIONS, crdFor(pytorchJobDefinition), { force: true });
    await client.create(NAMESPACES, { metadata: { name: namespace } });
    try {
      return await run({ kubeconfig, namespace });
    } finally {
      await client.delete(NAMESPACES, { name: namespace });
    }
  } finally {
    await client.close();
  }
}
