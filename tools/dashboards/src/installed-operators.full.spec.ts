/** Operators that are installed by charts on a real node are found, scraped through the API server, and shown. */
import { type Cluster, clusterDown, clusterUp, terminalProgress } from '@muster/cluster';
import { installOperators, OPERATORS_NAMESPACE } from '@muster/install';
import { ensurePrometheus } from '@muster/prometheus';
import { eventually } from '@muster/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { metricValue } from '../test-support/metric-value.ts';
import { DashboardsBrowser } from './browser/dashboards-browser.ts';
import { ensureChromium } from './browser/ensure-chromium.ts';
import { dashboardFiles } from './dashboard-files.ts';
import { showDashboards } from './show-dashboards.ts';

const NAME = `dashboards-${process.pid}`;
const LIMIT_MS = 1_200_000;

describe('operators that are installed', { timeout: LIMIT_MS }, () => {
  const progress = terminalProgress();
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await clusterUp({ name: NAME, node: 'real', progress });
    await installOperators(['mxnet'], { cluster, progress });
  }, LIMIT_MS);
  afterAll(async () => {
    await clusterDown({ name: NAME, progress });
  }, LIMIT_MS);

  it('are shown without installing anything else', async () => {
    const shown = await showDashboards({
      dashboards: await dashboardFiles(),
      port: 0,
      source: { kind: 'cluster', access: { kubeconfig: cluster.kubeconfig } },
      scrapeInterval: '5s',
      prometheusProgram: async () => (await ensurePrometheus(progress)).prometheus,
      progress,
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    const browser = await DashboardsBrowser.launch(await ensureChromium(progress));
    try {
      const own = `job="mxnet",service="mxnet",namespace="${OPERATORS_NAMESPACE}",container="operator"`;
      const isUp = () =>
        metricValue(shown.prometheusUrl, `up{${own}} and on(pod) muster_build_info{framework="mxnet"}`);
      expect(await eventually(isUp, { withinMs: 120_000 })).toBe(1);
      const view = await browser.open(`${shown.url}/d/muster-mxnet-operator?from=now-5m&to=now&refresh=5s`, {
        width: 1200,
        height: 900,
      });
      const leader = async () => (await view.panels()).find(({ title }) => title === 'Leader');
      await eventually(async () => (await leader())?.text.includes('one'), { withinMs: 120_000, describe: leader });
      expect(view.problems).toEqual([]);
    } finally {
      await browser.close();
      await shown.stop();
    }
  });
});
