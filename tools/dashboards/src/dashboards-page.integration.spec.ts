/**
 * The page in headless Chromium, with a Prometheus that scrapes a real operator of this checkout.
 * `dashboards-page.integration-full.spec.ts` checks that each panel of each dashboard has data.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentProgress } from '@muster/cluster';
import { crdFor, FRAMEWORKS } from '@muster/job-api';
import { eventually, installCrd, testCluster } from '@muster/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Dashboard } from '../model/dashboard.ts';
import { metricValue } from '../test-support/metric-value.ts';
import { PageFixture } from '../test-support/page-fixture.ts';
import type { DashboardView } from './browser/dashboards-browser.ts';
import { canHaveChromium } from './browser/ensure-chromium.ts';
import { dashboardFiles } from './dashboard-files.ts';
import { showDashboards } from './show-dashboards.ts';

/** Has an invalid query, one without data, and one with data. */
const OWN: Dashboard = {
  uid: 'own',
  title: 'Own',
  templating: { list: [{ name: 'kind', type: 'query', query: 'label_values(muster_build_info, framework)' }] },
  panels: [
    panel('wrong', 'sum by (muster_build_info'),
    panel('nothing', 'muster_there_is_no_such_metric'),
    panel('something', 'muster_build_info{framework="$kind"}'),
  ],
};

function panel(title: string, expr: string) {
  return { type: 'timeseries', title, targets: [{ refId: 'A', expr, legendFormat: '{{framework}} {{version}}' }] };
}

const WINDOW = { width: 1400, height: 1000 };

/** Waits, because the first scrape is not yet within the range of a panel's query. */
async function showsOwn(view: DashboardView): Promise<void> {
  const states = async () => (await view.panels()).map(({ state }) => state).join();
  await eventually(async () => (await states()) === 'error,empty,drawn', { withinMs: 60_000, describe: states });
}

const cluster = await testCluster();

describe.skipIf(!canHaveChromium())('the page of dashboards', () => {
  let dashboards: readonly Dashboard[];
  let fixture: PageFixture;

  beforeAll(async () => {
    for (const definition of FRAMEWORKS['mxnet']) await installCrd(cluster.client, crdFor(definition));
    dashboards = [...(await dashboardFiles()), OWN];
    const namespaces = new Map([['mxnet', [await cluster.namespace()]] as const]);
    fixture = await PageFixture.start({
      operators: { kubeconfig: cluster.kubeconfig, namespaces },
      dashboards,
      scrapeInterval: '1s',
      signal: AbortSignal.timeout(170_000),
    });
    await eventually(() => metricValue(fixture.shown.prometheusUrl, 'muster_build_info'), { withinMs: 60_000 });
  });
  afterAll(() => fixture[Symbol.asyncDispose]());

  it('shows the error of an invalid query and missing data, and draws the other panels', async () => {
    const view = await fixture.open('own', { refresh: '1s' });
    await showsOwn(view);
    const [wrong, nothing, something] = await view.panels();
    expect(wrong?.text).toMatch(/parse error.*\n+sum by \(muster_build_info/s);
    expect(nothing?.text).toBe('no data');
    expect(something?.text).toContain('mxnet 0.');
    await view.close();
  });

  it('takes a picture that ends at the end of a panel', async () => {
    const view = await fixture.open('muster-mxnet-operator');
    const folder = await mkdtemp(join(tmpdir(), 'muster-picture-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const heightUpTo = async (title: string) => {
      const path = `${join(folder, title)}.png` as const;
      await view.picture(path, title);
      // The header of a PNG: the height follows the width.
      return (await readFile(path)).readUInt32BE(20);
    };
    const heights = [await heightUpTo('Leader'), await heightUpTo('Reconcile rate')];
    expect(heights[0]).toBeGreaterThan(0);
    expect(heights[1]).toBeGreaterThan(heights[0] ?? 0);
    await expect(view.picture(`${join(folder, 'x')}.png`, 'else')).rejects.toThrow('There is no panel "else" on');
    await view.close();
  });

  it('draws a dashboard of a chart, without a query that Prometheus rejects', async () => {
    const view = await fixture.open('muster-mxnet-operator', { refresh: '1s' });
    const panels = () => view.panels();
    await eventually(async () => (await panels()).find(({ title }) => title === 'Leader')?.text.includes('one'), {
      withinMs: 60_000,
      describe: panels,
    });
    expect((await panels()).filter(({ state }) => state === 'loading' || state === 'error')).toEqual([]);
    expect(view.problems).toEqual([]);
    await view.close();
  });

  it('shows the data of an existing Prometheus', async () => {
    const other = await showDashboards({
      dashboards,
      port: 0,
      source: { kind: 'prometheus', url: new URL(fixture.shown.prometheusUrl) },
      scrapeInterval: '1s',
      prometheusProgram: () => Promise.reject(new Error('must not be started')),
      progress: silentProgress,
      signal: AbortSignal.timeout(60_000),
    });
    const view = await fixture.browser.open(`${other.url}/d/own?from=now-5m&to=now&refresh=1s`, WINDOW);
    await showsOwn(view);
    await view.close();
    await other.stop();
  });

  it('shows the time since the start of its Prometheus by default', async () => {
    const view = await fixture.browser.open(`${fixture.shown.url}/d/own`, WINDOW);
    const from = await view.page.$eval(
      'select[name=range]',
      (select) => (select as unknown as { value: string }).value,
    );
    expect(Number(from)).toBeGreaterThan(Date.now() - 3_600_000);
    expect(Number(from)).toBeLessThan(Date.now());
    await view.close();
  });

  it('lists the dashboards of installed frameworks, and the scraped operators', async () => {
    const view = await fixture.browser.open(fixture.shown.url, WINDOW);
    await view.page.waitForSelector('tr[data-health=up]');
    const cards = await view.page.$$('.card');
    expect(cards.length).toBeGreaterThan(0);
    // Without the dashboards of frameworks whose operators do not run.
    expect(cards.length).toBeLessThan(dashboards.length);
    await view.close();
  });
});
