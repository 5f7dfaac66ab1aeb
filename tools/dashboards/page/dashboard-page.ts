/** One dashboard. Loads its variables, then its panels, and repeats that at the refresh interval. */
import type { Dashboard, Panel } from '../model/dashboard.ts';
import { parseDuration } from '../model/duration.ts';
import { linkUrl } from '../model/link-url.ts';
import type { PageSettings } from '../model/page-settings.ts';
import { parseTime, type TimeRange } from '../model/time-range.ts';
import { interpolated, type VariableState } from '../model/variables.ts';
import { type Address, readAddress, writeAddress } from './address.ts';
import { element, select } from './element.ts';
import { installedDashboards } from './installed-dashboards.ts';
import { loadPanel } from './load-panel.ts';
import { loadVariables } from './load-variables.ts';
import { PanelFrame } from './panel-frame.ts';
import { themeButton } from './theme.ts';
import { timeControls } from './time-controls.ts';
import { variableBar } from './variable-bar.ts';

const HOUR_MS = 3_600_000;

export class DashboardPage {
  readonly root = element('div', { class: 'page' });
  readonly #dashboard: Dashboard;
  readonly #settings: PageSettings;
  readonly #frames: PanelFrame[] = [];
  readonly #hidden = new Map<PanelFrame, Set<string>>();
  readonly #controls = element('div');
  readonly #variables = element('div');
  readonly #problem = element('p', { class: 'error', role: 'alert' });
  #address: Address;
  /** Responses to requests before the last change are dropped. */
  #round = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(dashboard: Dashboard, settings: PageSettings) {
    this.#dashboard = dashboard;
    this.#settings = settings;
    this.#address = readAddress(dashboard, settings.sinceMs);
    const redrawAll = () => this.#frames.forEach((frame) => frame.redraw());
    const header = element(
      'header',
      { class: 'top' },
      element('a', { href: '/', class: 'home' }, 'Muster'),
      this.#otherDashboards(),
      element('span', { class: 'space' }),
      this.#controls,
      themeButton(redrawAll),
    );
    const about = element('p', { class: 'about-dashboard' }, dashboard.description ?? '');
    this.#problem.hidden = true;
    this.root.append(header, about, this.#variables, this.#problem, ...this.#rows());
    document.title = dashboard.title;
  }

  start(): void {
    void this.#load();
  }

  /** Counts completed rounds in the attribute `data-rounds` of the page. */
  async #load(): Promise<void> {
    const round = ++this.#round;
    clearTimeout(this.#timer);
    this.#showControls();
    const nowMs = Date.now();
    const range = this.#range(nowMs);
    try {
      const states = await loadVariables(this.#dashboard.templating?.list ?? [], this.#address.chosen, range);
      if (round !== this.#round) return;
      this.#problem.hidden = true;
      this.#showVariables(states);
      await Promise.all(this.#frames.map((frame) => this.#fill(frame, round, range, nowMs, states)));
    } catch (error) {
      if (round !== this.#round) return;
      this.#problem.textContent = error instanceof Error ? error.message : String(error);
      this.#problem.hidden = false;
    }
    if (round !== this.#round) return;
    this.root.dataset['rounds'] = String(Number(this.root.dataset['rounds'] ?? 0) + 1);
    const everyMs = parseDuration(this.#address.refresh);
    if (everyMs !== undefined) this.#timer = setTimeout(() => void this.#load(), everyMs);
  }

  async #fill(
    frame: PanelFrame,
    round: number,
    range: TimeRange,
    nowMs: number,
    variables: readonly VariableState[],
  ): Promise<void> {
    try {
      const { scrapeIntervalMs } = this.#settings;
      const { widthPixels } = frame;
      const data = await loadPanel(frame.panel, { range, scrapeIntervalMs, variables, widthPixels });
      if (round !== this.#round) return;
      const { from, to } = this.#address;
      frame.show({
        panel: frame.panel,
        ...data,
        range,
        nowMs,
        fill: (text) => interpolated(text, variables),
        link: (template, row, text) => linkUrl(template, { row, text, variables, time: { from, to } }),
        hidden: this.#hiddenIn(frame),
        zoom: ({ fromMs, toMs }) => this.#change({ from: String(fromMs), to: String(toMs), refresh: '' }),
      });
    } catch (error) {
      if (round === this.#round) frame.fail(error instanceof Error ? error.message : String(error));
    }
  }

  #change(change: Partial<Address>): void {
    this.#address = { ...this.#address, ...change };
    writeAddress(this.#address);
    void this.#load();
  }

  #range(nowMs: number): TimeRange {
    const toMs = parseTime(this.#address.to, nowMs) ?? nowMs;
    const fromMs = parseTime(this.#address.from, nowMs) ?? toMs - HOUR_MS;
    return fromMs < toMs ? { fromMs, toMs } : { fromMs: toMs - HOUR_MS, toMs };
  }

  #showControls(): void {
    const change = (changed: Partial<Address>) => this.#change(changed);
    this.#controls.replaceChildren(timeControls(this.#address, change, () => void this.#load()));
  }

  #showVariables(states: readonly VariableState[]): void {
    // Keeps a list that the user has open.
    if (this.#variables.querySelector('details[open]') !== null && this.#variables.contains(document.activeElement))
      return;
    const bar = variableBar(states, (name, values) => {
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
      this.#change({ chosen: new Map([...this.#address.chosen, [name, values]]) });
    });
    this.#variables.replaceChildren(bar);
  }

  #hiddenIn(frame: PanelFrame): Set<string> {
    const hidden = this.#hidden.get(frame) ?? new Set<string>();
    this.#hidden.set(frame, hidden);
    return hidden;
  }

  /** Dashboards of installed operators, and this one. */
  #otherDashboards(): HTMLElement {
    const place = element('span');
    const show = (dashboards: PageSettings['dashboards']) => place.replaceChildren(this.#choiceOf(dashboards));
    show(this.#settings.dashboards.filter(({ uid }) => uid === this.#dashboard.uid));
    void installedDashboards(this.#settings.dashboards, this.#dashboard.uid).then(show);
    return place;
  }

  #choiceOf(dashboards: PageSettings['dashboards']): HTMLElement {
    const options = dashboards.map(({ uid, title }) => ({ value: uid, text: title }));
    return select({ name: 'dashboard', 'aria-label': 'Dashboard' }, options, this.#dashboard.uid, (uid) => {
      const { from, to, refresh } = this.#address;
      location.assign(`/d/${uid}?${new URLSearchParams({ from, to, refresh }).toString()}`);
    });
  }

  /** A collapsible section for each row of the dashboard. */
  #rows(): HTMLElement[] {
    const rows: { readonly title?: string; readonly isClosed: boolean; readonly panels: Panel[] }[] = [];
    for (const panel of this.#dashboard.panels ?? []) {
      if (panel.type === 'row') {
        rows.push({ title: panel.title ?? '', isClosed: panel.collapsed ?? false, panels: [...(panel.panels ?? [])] });
        continue;
      }
      if (rows.length === 0) rows.push({ isClosed: false, panels: [] });
      rows.at(-1)?.panels.push(panel);
    }
    return rows.map(({ title, isClosed, panels }) => {
      const top = Math.min(...panels.map(({ gridPos }) => gridPos?.y ?? 0));
      const frames = panels.map((panel) => new PanelFrame(panel, top));
      this.#frames.push(...frames);
      const grid = element('div', { class: 'grid' }, ...frames.map(({ root }) => root));
      if (title === undefined) return element('section', {}, grid);
      return element('details', { class: 'row', open: !isClosed }, element('summary', {}, title), grid);
    });
  }
}
