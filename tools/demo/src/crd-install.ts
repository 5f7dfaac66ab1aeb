/** Installs a framework's CRDs, and does not overwrite CRDs of others. */
import { setTimeout as sleep } from 'node:timers/promises';
import { crdFor, CUSTOM_RESOURCE_DEFINITIONS, FRAMEWORKS, type FrameworkName } from '@muster/job-api';
import { hasResource, isKubeError, type KubeClient } from '@muster/kube';
import { DemoError } from './demo-error.ts';

const LIMIT_MS = 60_000;

/**
 * Resolves when the API server serves the framework's kinds.
 *
 * @param own whether the demo started the cluster. On any other, a different CRD of another origin is kept, and a `DemoError` is
 *   thrown
 */
export async function installCrds(
  client: KubeClient,
  framework: FrameworkName,
  own: boolean,
  signal: AbortSignal,
): Promise<void> {
  for (const definition of FRAMEWORKS[framework]) {
    const crd = crdFor(definition);
    const { group, version, plural } = definition.resource;
    try {
      await client.apply(CUSTOM_RESOURCE_DEFINITIONS, crd, { force: own, signal });
    } catch (error) {
      if (!isKubeError(error, 'Conflict')) throw error;
      throw new DemoError(
        `The cluster has a different CRD ${plural}.${group}, for example of Kubeflow's operator, and the demo does not overwrite it. Use another cluster, or replace the CRD with "npx muster crds ${framework} | kubectl apply --server-side --force-conflicts -f -".`,
      );
    }
    const endMs = performance.now() + LIMIT_MS;
    while (!(await isServed(client, definition.resource))) {
      signal.throwIfAborted();
      if (performance.now() > endMs) {
        throw new DemoError(
          `The API server does not serve ${plural}.${version}.${group}: run kubectl describe crd ${plural}.${group}.`,
        );
      }
      await sleep(100);
    }
  }
}

/** Discovery lists a kind shortly before requests for it succeed. */
async function isServed(client: KubeClient, resource: Parameters<KubeClient['list']>[0]): Promise<boolean> {
  if (!(await hasResource(client, resource.group, resource.version, resource.plural))) return false;
  try {
    await client.list(resource, { pageSize: 1 });
    return true;
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return false;
    throw error;
  }
}
