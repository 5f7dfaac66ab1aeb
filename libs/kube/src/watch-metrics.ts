import type { KubeObject, Resource } from '@muster/job-api';
import { WATCHES, counter, scrapedGauge } from '@muster/metrics';
import type { Registry } from 'prom-client';
import type { Cache } from './cache.ts';
import { resourceName } from './resource-name.ts';
import type { RestartReason } from './restart-reason.ts';

/** Counts watch restarts of `resource`, if there is a registry. */
export function watchRestarts(registry: Registry | undefined, resource: Resource): (reason: RestartReason) => void {
  if (registry === undefined) return () => undefined;
  const restarts = counter(registry, WATCHES.restarts);
  const of = { resource: resourceName(resource) };
  for (const reason of Object.keys(WATCHES.restarts.values.reason)) restarts.inc({ ...of, reason }, 0);
  return (reason) => restarts.inc({ ...of, reason });
}

/** Exports the number of cached objects by resource. Call once for each registry. */
export function exportCacheSizes(
  registry: Registry,
  caches: readonly (Pick<Cache<KubeObject>, 'list'> & { readonly resource: Resource })[],
): void {
  const byResource = Map.groupBy(caches, ({ resource }) => resourceName(resource));
  scrapedGauge(registry, WATCHES.objects, () =>
    [...byResource].map(([resource, own]) => ({
      labels: { resource },
      value: own.reduce((sum, cache) => sum + cache.list().length, 0),
    })),
  );
}
