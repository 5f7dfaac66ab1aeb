/**
 * Where scenarios run: the cluster of $MUSTER_TEST_KUBECONFIG, otherwise a simulated one that is started for the run and stopped after it;
 * with the CRDs and a namespace for the run.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { clusterDown, clusterUp, interruptSignal, terminalProgress } from '@muster/cluster';
import { crdFor, CUSTOM_RESOURCE_DEFINITIONS, FRAMEWORKS, isFrameworkName, type Resource } from '@muster/job-api';
import { createKubeClient, isKubeError, loadCluster, type KubeClient } from '@muster/kube';
import { tokenKubeconfig } from './token-kubeconfig.ts';

const CLUSTER_NAME = 'bench';
const GONE_LIMIT_MS = 600_000;
const ASK_EVERY_MS = 250;

const NAMESPACES: Resource = { group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false };

export interface BenchCluster {
  /** An administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** The name of the cluster, if this run started it. */
  readonly cluster?: string;
}

export interface Place extends BenchCluster {
  readonly namespace: string;
}

/**
 * Calls `run` with a ready cluster, and takes the cluster down afterwards. Throws an `InterruptedError` if a signal ends the run: the
 * cluster is gone by then, and anything that `run` still does has no effect.
 *
 * @param nodes the number of simulated nodes, if the cluster is started here; default 10
 */
export async function onBenchCluster<T>(
  { nodes }: { readonly nodes?: number },
  run: (cluster: BenchCluster) => Promise<T>,
): Promise<T> {
  const given = process.env['MUSTER_TEST_KUBECONFIG'];
  if (given !== undefined && given !== '') return run({ kubeconfig: given });
  const progress = terminalProgress();
  using interrupt = interruptSignal();
  const { signal } = interrupt;
  const cluster = await clusterUp({
    name: CLUSTER_NAME,
    node: 'simulated',
    progress,
    signal,
    ...(nodes !== undefined && { nodes }),
  });
  try {
    return await untilAborted(run({ kubeconfig: cluster.kubeconfig, cluster: CLUSTER_NAME }), signal);
  } finally {
    await clusterDown({ name: CLUSTER_NAME, progress });
  }
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason as Error);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', abort));
}

/** Calls `run` with a new namespace and the framework's CRDs, and deletes the namespace afterwards. */
export async function inBenchNamespace<T>(
  where: BenchCluster,
  framework: string,
  run: (place: Place) => Promise<T>,
): Promise<T> {
  const access = await loadCluster({ kubeconfig: where.kubeconfig });
  const client = createKubeClient(access, { userAgent: 'muster-bench' });
  const namespace = `bench-${randomUUID().slice(0, 8)}`;
  try {
    const definitions = isFrameworkName(framework) ? FRAMEWORKS[framework] : [];
    for (const definition of definitions)
      await client.apply(CUSTOM_RESOURCE_DEFINITIONS, crdFor(definition), { force: true });
    await client.create(NAMESPACES, { metadata: { name: namespace } });
    try {
      await using token = await tokenKubeconfig(client, access, namespace);
      return await run({ ...where, kubeconfig: token.file, namespace });
    } finally {
      await deleteNamespace(client, namespace);
    }
  } finally {
    await client.close();
  }
}

/** Resolves when the namespace is gone. */
async function deleteNamespace(client: KubeClient, name: string): Promise<void> {
  await client.delete(NAMESPACES, { name });
  const deadline = performance.now() + GONE_LIMIT_MS;
  while (await exists(client, name)) {
    if (performance.now() > deadline)
      throw new Error(`namespace ${name} still exists ${GONE_LIMIT_MS} ms after its deletion`);
    await sleep(ASK_EVERY_MS);
  }
}

async function exists(client: KubeClient, name: string): Promise<boolean> {
  try {
    await client.get(NAMESPACES, { name });
    return true;
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return false;
    throw error;
  }
}
