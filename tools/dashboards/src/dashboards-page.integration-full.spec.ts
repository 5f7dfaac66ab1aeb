/**
 * Every panel of every dashboard in headless Chromium. Prometheus scrapes the operators of this checkout, each with jobs in all states on
 * simulated nodes. Some of their requests to the API server fail.
 */
import {
  crdFor,
  FRAMEWORKS,
  RAY_CRON_JOBS,
  RAY_JOBS,
  RAY_SERVICES,
  type FrameworkName,
  type KubeObject,
} from '@muster/job-api';
import { eventually, faultProxy, installCrd, testCluster } from '@muster/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { metricValue } from '../test-support/metric-value.ts';
import { PageFixture } from '../test-support/page-fixture.ts';
import type { DashboardView } from './browser/dashboards-browser.ts';
import { canHaveChromium } from './browser/ensure-chromium.ts';
import { dashboardFiles } from './dashboard-files.ts';
import {
  makeFirstJobs,
  makeFurtherJobs,
  RESTARTED_JOB,
  type TestNamespaces,
  WAITING_JOB,
} from './pictures/picture-jobs.ts';
import { PICTURE_KINDS, pictureJob } from './pictures/picture-kinds.ts';

/** The first run builds Prometheus and downloads a browser. */
const BUILD_LIMIT_MS = 3_600_000;

const NAMES = Object.keys(FRAMEWORKS) as FrameworkName[];
const FILES = await dashboardFiles();
const DASHBOARDS = uidsOf('pytorch-elastic');

function uidsOf(framework: FrameworkName): string[] {
  return FILES.flatMap(({ uid }) => (uid.startsWith(`muster-${framework}-`) ? [uid] : []));
}

/**
 * Panels without data for a framework: a RayCluster does not fail, no RayCronJob is late or has ended, no RayService is upgraded, and the MXJob
 * ends with its first failed worker, so that it loses no time to a restart.
 */
const NEVER: Readonly<Partial<Record<FrameworkName, readonly string[]>>> = {
  ray: [
    'Failed jobs',
    'Late runs of RayCronJobs',
    'Time since the last success of RayCronJobs',
    'Duration of upgrades of RayServices',
  ],
  mxnet: [
    'Failing',
    'Failing jobs by restarts',
    'Job hours lost by failure',
    'Job hours lost by namespace',
    'Resource hours lost',
    'Restarts in range by cause',
    'Restarts in range by namespace',
    'Waiting reason',
  ],
};

/** No operator of the test runs in shadow mode, or records. */
const SWITCHED_OFF = ['Compared jobs by result', 'Reconcile runs by whether they were recorded'];

/** One in this many requests fails. */
const FAILING = 10;

const cluster = await testCluster();

describe.skipIf(!canHaveChromium())('the page of dashboards', () => {
  const namespaces = new Map<FrameworkName, TestNamespaces>();
  const stack = new AsyncDisposableStack();
  let fixture: PageFixture;

  beforeAll(async () => {
    const { client } = cluster;
    for (const definition of Object.values(FRAMEWORKS).flat()) await installCrd(client, crdFor(definition));
    const proxy = stack.use(await faultProxy(cluster.access));
    // No program is behind the port of a simulated pod.
    proxy.inject({ path: /\/proxy\/progress$/ }, { type: 'answer', code: 200, body: { step: 415, percent: 41.5 } });
    for (const framework of NAMES) {
      const own = { vision: await cluster.namespace(), speech: await cluster.namespace() };
      namespaces.set(framework, own);
      await makeFirstJobs(client, own, framework, { progressDeadlineSeconds: 10 });
    }
    const watched = new Map([...namespaces].map(([framework, own]) => [framework, Object.values(own)] as const));
    fixture = await PageFixture.start({
      operators: { kubeconfig: proxy.kubeconfig, namespaces: watched },
      dashboards: FILES,
      scrapeInterval: '5s',
      signal: AbortSignal.timeout(BUILD_LIMIT_MS),
    });
    stack.use(fixture);
    let requests = 0;
    proxy.inject(({ watch }) => !watch && ++requests % FAILING === 0, { type: 'answer', code: 503 });
    // Prometheus computes a rate only of series that it has scraped before.
    await eventually(async () => (await startedNamespaces()) === NAMES.length * 2, {
      withinMs: 90_000,
      describe: startedNamespaces,
    });
    proxy.cutWatches();
    for (const [framework, own] of namespaces) await makeFurtherJobs(client, own, framework);
    await makeRayJobs(namespaces.get('ray')!);
  }, BUILD_LIMIT_MS);
  afterAll(() => stack.disposeAsync());

  /** Number of namespaces with started jobs. */
  const startedNamespaces = () =>
    metricValue(
      fixture.shown.prometheusUrl,
      'count(sum by (job_namespace) (muster_job_start_latency_seconds_count) > 0)',
    );

  async function makeRayJobs({ vision }: TestNamespaces): Promise<void> {
    const { spec: rayClusterSpec } = pictureJob('ray', { name: 'cluster', namespace: vision, workers: 1 });
    const jobTemplate = { entrypoint: 'python tune.py', submissionMode: 'HTTPMode', rayClusterSpec };
    await cluster.client.create<KubeObject & { spec: object }>(RAY_JOBS, {
      metadata: { name: 'tune', namespace: vision },
      spec: jobTemplate,
    });
    await cluster.client.create<KubeObject & { spec: object }>(RAY_CRON_JOBS, {
      metadata: { name: 'nightly', namespace: vision },
      spec: { schedule: '@daily', jobTemplate },
    });
    await cluster.client.create<KubeObject & { spec: object }>(RAY_SERVICES, {
      metadata: { name: 'fruit', namespace: vision },
      spec: { serveConfigV2: 'applications: []', rayClusterConfig: rayClusterSpec },
    });
  }

  /** Panels of the view without data. */
  const lacking = async (view: DashboardView, nothing: readonly string[] = []) =>
    (await view.panels())
      .filter(({ title, state }) => state !== 'drawn' && !nothing.includes(title))
      .map(({ title, state, text }) => `${title}: ${state} ${text}`);

  describe.each(NAMES)('of %s', (framework) => {
    const ofJob = (job: string) => ({
      'var-namespace': namespaces.get(framework)!.speech,
      'var-kind': PICTURE_KINDS[framework].resource.kind,
      'var-job': job,
    });

    const ofOneJob = `muster-${framework}-job`;
    it.each([
      ...uidsOf(framework)
        .filter((uid) => uid !== ofOneJob)
        .map((uid) => ({ uid, of: '', chosen: () => ({}), nothing: [] as string[] })),
      {
        uid: ofOneJob,
        of: 'of a failing job',
        chosen: () => ofJob(RESTARTED_JOB),
        nothing: ['Waiting reason history'],
      },
      {
        uid: ofOneJob,
        of: 'of a waiting job',
        chosen: () => ofJob(WAITING_JOB),
        nothing: ['Progress', 'Step', 'First failure'],
      },
    ])('draws every panel of the dashboard $uid $of', async ({ uid, chosen, nothing }) => {
      const view = await fixture.open(uid, chosen());
      const lacks = () => lacking(view, [...nothing, ...SWITCHED_OFF, ...(NEVER[framework] ?? [])]);
      await eventually(async () => (await lacks()).length === 0, { withinMs: 90_000, describe: lacks });
      expect(view.problems).toEqual([]);
      await view.close();
    });
  });

  it('draws each state in its colour', async () => {
    const { speech } = namespaces.get('pytorch-elastic')!;
    const view = await fixture.open('muster-pytorch-elastic-job', {
      'var-namespace': speech,
      'var-job': RESTARTED_JOB,
    });
    const colours = () => view.page.evaluate(BARS) as Promise<Record<string, string>>;
    await eventually(
      async () => {
        const { Failing } = await colours();
        expect(Failing).toBe('rgb(214, 69, 69)');
        return true;
      },
      { withinMs: 90_000, describe: colours },
    );
    await view.close();
  });

  it.each(FILES.map(({ uid }) => uid))('cuts no title and no value of %s in a window of 1,200 pixels', async (uid) => {
    const view = await fixture.open(uid, {}, { width: 1200, height: 900 });
    expect(await view.cutTexts()).toEqual([]);
    await view.close();
  });

  it.each(DASHBOARDS)('fits %s into a window of 400 pixels, dark as well', async (uid) => {
    const view = await fixture.open(uid, {}, { width: 400, height: 800, isDark: true });
    expect(await view.overflow()).toBe(0);
    expect((await view.panels()).filter(({ state }) => state === 'loading' || state === 'error')).toEqual([]);
    await view.close();
  });

  it('shows the deciding columns of the tables of jobs in a window of 1,500 pixels', async () => {
    const view = await fixture.open('muster-pytorch-elastic-jobs', {}, { width: 1500, height: 1000 });
    const columns = () => view.page.evaluate(COLUMNS) as Promise<Record<string, string[]>>;
    await eventually(async () => Object.keys(await columns()).length === 3, { withinMs: 90_000, describe: columns });
    expect(await columns()).toEqual({
      'Failing jobs by restarts': expect.arrayContaining(['Job', 'Restarts', 'First failure']) as unknown,
      'Failed jobs': expect.arrayContaining(['Job', 'First failure', 'Failed ago']) as unknown,
      'Waiting jobs': expect.arrayContaining(['Job', 'Reason']) as unknown,
    });
    await view.close();
  });

  it('links a waiting job to its dashboard', async () => {
    const { speech } = namespaces.get('pytorch-elastic')!;
    const view = await fixture.open('muster-pytorch-elastic-jobs', { 'var-namespace': speech });
    const link = await eventually(() => view.page.$(`td a[href*="var-job=${WAITING_JOB}"]`));
    await Promise.all([view.page.waitForNavigation(), link.click()]);
    await view.page.waitForSelector('[data-rounds]');
    const chosen = await view.page.$eval(
      'select[name=job]',
      (select) => (select as unknown as { value: string }).value,
    );
    expect(chosen).toBe(WAITING_JOB);
    expect((await view.panels()).find(({ title }) => title === 'Waiting reason')?.text).toContain('Unschedulable');
    await view.close();
  });
});

/** Titles of the columns that are visible without scrolling, by panel. Runs in the page. */
const COLUMNS = `Object.fromEntries(
  Array.from(document.querySelectorAll('article.table[data-state=drawn]'), (panel) => {
    const { right } = panel.querySelector('.body').getBoundingClientRect();
    const heads = Array.from(panel.querySelectorAll('th')).filter((head) => head.getBoundingClientRect().right <= right + 1);
    return [panel.querySelector('h2').textContent, heads.map((head) => head.textContent)];
  }),
)`;

/** Colours of the bars in the first timeline, by row name. Runs in the page. */
const BARS = `Object.fromEntries(
  Array.from(document.querySelector('.timeline').querySelectorAll('.name'), (name) => [
    name.textContent,
    getComputedStyle(name.nextElementSibling.querySelector('.span')).backgroundColor,
  ]),
)`;
