import { dashboardsOf } from '../model/dashboards-of.ts';
import type { PageSettings } from '../model/page-settings.ts';
import { labelValues } from './prometheus.ts';

const HOUR_MS = 3_600_000;

/** Dashboards of operators that Prometheus has data of. All if the query fails. @param uid dashboard that is always kept */
export async function installedDashboards(
  dashboards: PageSettings['dashboards'],
  uid?: string,
): Promise<PageSettings['dashboards']> {
  const nowMs = Date.now();
  const range = { fromMs: nowMs - HOUR_MS, toMs: nowMs };
  const frameworks = await labelValues('framework', 'muster_build_info', range).catch(() => []);
  return dashboardsOf(frameworks, dashboards, uid);
}
