/** The page in headless Chromium, over a Prometheus that scrapes a real operator of this checkout with real jobs. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentProgress } from '@muster/cluster';
import { OperatorProcess } from '@muster/install';
import { crdFor, FRAMEWORKS } from '@muster/job-api';
import { ensurePrometheus } from '@muster/prometheus';
import { eventually, installCrd, testCluster } from '@muster/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Dashboard } from '../model/dashboard.ts';
import { metricValue } from '../test-support/metric-value.ts';
import { DashboardsBrowser } from './browser/dashboards-browser.ts';
import { canHaveChromium, ensureChromium } from './browser/ensure-chromium.ts';
import { dashboardFiles } from './dashboard-files.ts';
import { makeFirstJobs, makeFurtherJobs, RESTARTED_JOB, WAITING_JOB } from './pictures/staged-jobs.ts';
import { showDashboards, type ShownDashboards } from './show-dashboards.ts';

/** Panels that have no series unless something is wrong with the operator itself. */
const NEEDS_FAULT = ['Defects', 'Requests that fail'];

const WIDE = { width: 1400, height: 1000 };

/** Asks what PromQL does not read, what there is nothing of, and what there is. */
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

const cluster = await testCluster();

describe.skipIf(!canHaveChromium())('the page of dashboards', () => {
  const stops: (() => Promise<unknown>)[] = [];
  let namespaces: { vision: string; speech: string };
  let dashboards: readonly Dashboard[];
  let shown: ShownDashboards;
  let browser: DashboardsBrowser;

  beforeAll(async () => {
    const signal = AbortSignal.timeout(170_000);
    for (const definition of FRAMEWORKS['pytorch-elastic']) await installCrd(cluster.client, crdFor(definition));
    namespaces = { vision: await cluster.namespace(), speech: await cluster.namespace() };
    const folder = await mkdtemp(join(tmpdir(), 'muster-dashboards-'));
    stops.push(() => rm(folder, { recursive: true }));
    const operator = new OperatorProcess({
      framework: 'pytorch-elastic',
      kubeconfig: cluster.kubeconfig,
      namespaces: Object.values(namespaces),
      flags: [],
      logFolder: folder,
    });
    stops.push(() => operator.stop());
    await makeFirstJobs(cluster.client, namespaces);
    await operator.ready(signal);
    dashboards = [...(await dashboardFiles()), OWN];
    shown = await showDashboards({
      dashboards,
      port: 0,
      source: { kind: 'addresses', addresses: [operator.url!] },
      scrapeInterval: '5s',
      prometheusProgram: async () => (await ensurePrometheus(silentProgress, signal)).prometheus,
      progress: silentProgress,
      signal,
    });
    stops.push(() => shown.stop());
    // A rate is known of what was there before.
    await eventually(
      () =>
        metricValue(shown.prometheusUrl, 'min(sum by (job_namespace) (muster_job_start_latency_seconds_count)) > 0'),
      { withinMs: 90_000, describe: 'jobs of both namespaces have begun' },
    );
    await makeFurtherJobs(cluster.client, namespaces);
    browser = await DashboardsBrowser.launch(await ensureChromium(silentProgress));
    stops.push(() => browser.close());
  });
  afterAll(async () => {
    for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) await stop();
  });

  const open = (
    uid: string,
    chosen: Record<string, string> = {},
    window: Parameters<DashboardsBrowser['open']>[1] = WIDE,
  ) =>
    browser.open(
      `${shown.url}/d/${uid}?${new URLSearchParams({ from: 'now-5m', to: 'now', refresh: '5s', ...chosen }).toString()}`,
      window,
    );

  it.each([
    ['muster-pytorch-elastic-operator', {}, []],
    ['muster-pytorch-elastic-jobs', {}, []],
    ['muster-pytorch-elastic-job', { 'var-job': RESTARTED_JOB }, ['Waits for', 'What it waited for']],
    ['muster-pytorch-elastic-job', { 'var-job': WAITING_JOB }, []],
  ])(
    'draws every panel of %s %j, but those that have nothing to show',
    async (uid, chosen: Record<string, string>, nothing) => {
      const view = await open(uid, 'var-job' in chosen ? { ...chosen, 'var-namespace': namespaces.speech } : chosen);
      const lacks = async () =>
        (await view.panels())
          .filter(({ title, state }) => state !== 'drawn' && ![...NEEDS_FAULT, ...nothing].includes(title))
          .map(({ title, state, text }) => `${title}: ${state} ${text}`);
      await eventually(async () => (await lacks()).length === 0, { withinMs: 90_000, describe: lacks });
      expect(view.problems).toEqual([]);
      await view.close();
    },
  );

  it('asks nothing that Prometheus refuses, in any dashboard', async () => {
    const refused: string[] = [];
    for (const { uid } of dashboards.filter((each) => each !== OWN)) {
      const view = await open(uid);
      const failed = (await view.panels()).filter(({ state }) => state === 'error' || state === 'loading');
      refused.push(...failed.map(({ title, text }) => `${uid} ${title}: ${text}`), ...view.problems);
      await view.close();
    }
    expect(refused).toEqual([]);
  });

  it('says why a query is wrong, and that there is no data, and draws the others all the same', async () => {
    const view = await open('own');
    const [wrong, nothing, something] = await view.panels();
    expect(wrong).toMatchObject({ state: 'error' });
    expect(wrong?.text).toMatch(/parse error.*\n+sum by \(muster_build_info/s);
    expect(nothing).toMatchObject({ state: 'empty', text: 'no data' });
    expect(something).toMatchObject({ state: 'drawn' });
    expect(something?.text).toContain('pytorch-elastic 0.');
    await view.close();
  });

  it.each(dashboardsOfPyTorch())('fits %s into a window of 400 pixels, dark as well', async (uid) => {
    const view = await open(uid, {}, { width: 400, height: 800, isDark: true });
    expect(await view.overflow()).toBe(0);
    expect((await view.panels()).filter(({ state }) => state === 'loading' || state === 'error')).toEqual([]);
    await view.close();
  });

  it('leads from a job that waits to the dashboard of that job', async () => {
    const view = await open('muster-pytorch-elastic-jobs', { 'var-namespace': namespaces.speech });
    const link = await eventually(() => view.page.$(`td a[href*="var-job=${WAITING_JOB}"]`));
    await Promise.all([view.page.waitForNavigation(), link.click()]);
    await view.page.waitForSelector('[data-rounds]');
    const chosen = await view.page.$eval(
      'select[name=job]',
      (select) => (select as unknown as { value: string }).value,
    );
    expect(chosen).toBe(WAITING_JOB);
    expect((await view.panels()).find(({ title }) => title === 'Waits for')?.text).toContain('Unschedulable');
    await view.close();
  });

  it('shows a Prometheus that is there already', async () => {
    const other = await showDashboards({
      dashboards,
      port: 0,
      source: { kind: 'prometheus', url: new URL(shown.prometheusUrl) },
      scrapeInterval: '5s',
      prometheusProgram: () => Promise.reject(new Error('none is to be started')),
      progress: silentProgress,
      signal: AbortSignal.timeout(60_000),
    });
    const view = await browser.open(`${other.url}/d/own`, WIDE);
    expect((await view.panels()).map(({ state }) => state)).toEqual(['error', 'empty', 'drawn']);
    await view.close();
    await other.stop();
  });

  it('lists the dashboards, and the operators that are scraped', async () => {
    const view = await browser.open(shown.url, WIDE);
    await view.page.waitForSelector('tr[data-health=up]');
    const cards = await view.page.$$('.card');
    expect(cards).toHaveLength(dashboards.length);
    await view.close();
  });
});

function dashboardsOfPyTorch(): string[] {
  return ['operator', 'jobs', 'job'].map((name) => `muster-pytorch-elastic-${name}`);
}
