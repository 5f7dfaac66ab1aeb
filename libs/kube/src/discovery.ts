import type { KubeClient } from './client.ts';
import { isKubeError } from './kube-error.ts';

/** Not cached, because CRDs are installed and deleted. Throws any error but NotFound. */
export async function hasResource(
  client: Pick<KubeClient, 'raw'>,
  group: string,
  version: string,
  plural: string,
): Promise<boolean> {
  const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  try {
    const { resources = [] } = await client.raw<{ resources?: { name: string }[] }>(path);
    return resources.some((resource) => resource.name === plural);
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return false;
    throw error;
  }
}
