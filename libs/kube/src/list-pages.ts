import type { KubeObject, Resource } from '@muster/job-api';
import type { ClusterClient, KubeList, KubeListPage, ListOptions } from './client.ts';
import { isKubeError } from './kube-error.ts';

/**
 * All matching objects, of one snapshot. Restarts once if the snapshot has expired (410), which happens when paging
 * takes minutes.
 *
 * @param take reduces each object page by page, so that full objects are never all in memory
 */
export async function listPages<T extends KubeObject>(
  client: Pick<ClusterClient, 'listPage'>,
  resource: Resource<T>,
  options: ListOptions,
  take: (object: T) => T,
): Promise<KubeList<T>> {
  let items: T[] = [];
  let page: KubeListPage<T> | undefined;
  let hasRestarted = false;
  do {
    try {
      page = await client.listPage(resource, {
        ...options,
        ...(page?.continueToken === undefined ? {} : { continueToken: page.continueToken }),
      });
    } catch (error) {
      if (page === undefined || hasRestarted || !isKubeError(error, 'Expired', 'Gone')) throw error;
      hasRestarted = true;
      items = [];
      page = undefined;
      continue;
    }
    for (const item of page.items) items.push(take(item));
  } while (page?.continueToken !== undefined || page === undefined);
  return { items, resourceVersion: page.resourceVersion };
}
