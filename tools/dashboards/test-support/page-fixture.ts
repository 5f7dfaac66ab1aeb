/** The page of dashboards in headless Chromium, with a Prometheus that scrapes operators of this checkout. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentProgress } from '@muster/cluster';
import { OperatorProcess } from '@muster/install';
import type { FrameworkName } from '@muster/job-api';
import { ensurePrometheus } from '@muster/prometheus';
import type { Dashboard } from '../model/dashboard.ts';
import { DashboardsBrowser, type DashboardView, type WindowShape } from '../src/browser/dashboards-browser.ts';
import { ensureChromium } from '../src/browser/ensure-chromium.ts';
import { showDashboards, type ShownDashboards } from '../src/show-dashboards.ts';

const WIDE = { width: 1400, height: 1000 };

/** Of the operators' log folders. */
const PREFIX = 'muster-dashboards-';

export interface TestOperators {
  readonly kubeconfig: string;
  /** Frameworks with the namespaces that their operators watch. */
  readonly namespaces: ReadonlyMap<FrameworkName, readonly string[]>;
}

export interface PageFixtureOptions {
  readonly operators: TestOperators;
  readonly dashboards: readonly Dashboard[];
  readonly scrapeInterval: string;
  readonly signal: AbortSignal;
}

export class PageFixture implements AsyncDisposable {
  readonly shown: ShownDashboards;
  readonly browser: DashboardsBrowser;
  readonly #stack: AsyncDisposableStack;

  private constructor(shown: ShownDashboards, browser: DashboardsBrowser, stack: AsyncDisposableStack) {
    this.shown = shown;
    this.browser = browser;
    this.#stack = stack;
  }

  /** Resolves when the operators are ready and the page is served. */
  static async start({ operators, dashboards, scrapeInterval, signal }: PageFixtureOptions): Promise<PageFixture> {
    await using stack = new AsyncDisposableStack();
    const logFolder = await mkdtemp(join(tmpdir(), PREFIX));
    stack.defer(() => rm(logFolder, { recursive: true }));
    const { kubeconfig, namespaces } = operators;
    const processes = [...namespaces].map(([framework, own]) => {
      const operator = new OperatorProcess({ framework, kubeconfig, namespaces: own, flags: [], logFolder });
      stack.defer(() => operator.stop());
      return operator;
    });
    const opening = ensureChromium(silentProgress).then((chromium) => DashboardsBrowser.launch(chromium));
    stack.defer(async () => (await opening).close());
    await Promise.all(processes.map((operator) => operator.ready(signal)));
    const shown = await showDashboards({
      dashboards,
      port: 0,
      source: { kind: 'addresses', addresses: processes.map(({ url }) => url!) },
      scrapeInterval,
      prometheusProgram: async () => (await ensurePrometheus(silentProgress, signal)).prometheus,
      progress: silentProgress,
      signal,
    });
    stack.defer(() => shown.stop());
    return new PageFixture(shown, await opening, stack.move());
  }

  /** The dashboard over the last five minutes. */
  open(uid: string, chosen: Readonly<Record<string, string>> = {}, window: WindowShape = WIDE): Promise<DashboardView> {
    const query = new URLSearchParams({ from: 'now-5m', to: 'now', refresh: '5s', ...chosen });
    return this.browser.open(`${this.shown.url}/d/${uid}?${query.toString()}`, window);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }
}
