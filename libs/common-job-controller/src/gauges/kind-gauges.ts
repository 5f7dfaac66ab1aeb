import { scrapedGauge } from '@muster/metrics';
import type { Registry } from 'prom-client';
import type { WatchedKind } from '../reconcile/observe.ts';

export function exportKindGauges(
  registry: Registry,
  { adapter, caches }: WatchedKind,
  isExported: () => boolean,
): void {
  for (const gauge of adapter.gauges ?? []) {
    const samples = () => caches.jobs.list().flatMap((job) => gauge.samples(job));
    scrapedGauge(registry, gauge.metric, () => (isExported() ? samples() : []));
  }
}
