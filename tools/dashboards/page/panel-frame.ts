/** Frame of a panel: title, description, and below them the drawing or a message. */
import type { Panel } from '../model/dashboard.ts';
import type { PanelState } from '../model/panel-state.ts';
import { isPanelType, type PanelType } from '../model/unsupported-parts.ts';
import { element } from './element.ts';
import type { DrawPanel, PanelView } from './panel-view.ts';
import { drawBarGauge } from './panels/bar-gauge-panel.ts';
import { drawHeatmap } from './panels/heatmap-panel.ts';
import { drawStat } from './panels/stat-panel.ts';
import { drawStateTimeline } from './panels/state-timeline-panel.ts';
import { drawTable, hasRows } from './panels/table-panel.ts';
import { drawText } from './panels/text-panel.ts';
import { drawTimeSeries } from './panels/time-series-panel.ts';

const DRAWINGS: Readonly<Record<Exclude<PanelType, 'row'>, DrawPanel>> = {
  text: drawText,
  timeseries: drawTimeSeries,
  stat: drawStat,
  gauge: drawBarGauge,
  bargauge: drawBarGauge,
  table: drawTable,
  heatmap: drawHeatmap,
  'state-timeline': drawStateTimeline,
};

/** In a narrow window, two panels of this width share a line. */
const SMALL_WIDTH = 6;

function hasContent(type: PanelType, view: Pick<PanelView, 'panel' | 'series'>): boolean {
  if (type === 'text') return true;
  if (type === 'table') return hasRows(view);
  const isSomething = (value: number) => (type === 'heatmap' ? value > 0 : !Number.isNaN(value));
  return view.series.some(({ values }) => values.some(isSomething));
}

/** The attribute `data-state` has its state. */
export class PanelFrame {
  readonly panel: Panel;
  readonly root: HTMLElement;
  readonly #body = element('div', { class: 'body' });
  #undo: (() => void) | undefined;
  #view: Omit<PanelView, 'redraw'> | undefined;

  constructor(panel: Panel, rowTop: number) {
    this.panel = panel;
    const { x = 0, y = 0, w = 12, h = 8 } = panel.gridPos ?? {};
    const isSmall = w <= SMALL_WIDTH;
    this.root = element(
      'article',
      { class: `panel ${panel.type}${isSmall ? ' small' : ''}` },
      this.#head(),
      this.#body,
    );
    for (const [name, value] of Object.entries({ x: x + 1, y: y - rowTop + 1, w, h })) {
      this.root.style.setProperty(`--${name}`, String(value));
    }
    this.#state('loading');
    new ResizeObserver(() => this.redraw()).observe(this.#body);
  }

  get widthPixels(): number {
    return this.#body.clientWidth;
  }

  show(view: Omit<PanelView, 'redraw'>): void {
    this.#view = view;
    this.redraw();
  }

  fail(message: string): void {
    this.#view = undefined;
    this.#clear();
    this.#state('error');
    this.#body.append(element('p', { class: 'error', role: 'alert' }, message));
  }

  redraw(): void {
    if (this.#view === undefined || this.#body.clientWidth === 0) return;
    this.#clear();
    const view: PanelView = { ...this.#view, redraw: () => this.redraw() };
    const { type } = this.panel;
    if (!isPanelType(type) || type === 'row') {
      return this.fail(`This page does not support panels of type ${type}. Open the dashboard in Grafana.`);
    }
    const isEmpty = !hasContent(type, view);
    this.#state(isEmpty ? 'empty' : 'drawn');
    if (isEmpty) this.#body.append(this.#nothing());
    else this.#undo = DRAWINGS[type](this.#body, view) ?? undefined;
  }

  #head(): HTMLElement {
    const { title = '', description = '' } = this.panel;
    const about =
      description === ''
        ? undefined
        : element(
            'details',
            { class: 'about' },
            element('summary', { title: description, 'aria-label': `About ${title}` }, 'i'),
            element('p', {}, description),
          );
    return element('header', {}, element('h2', { title }, title), about);
  }

  #nothing(): HTMLElement {
    const { noValue = '' } = this.panel.fieldConfig?.defaults ?? {};
    if (noValue === '' || this.panel.type !== 'stat') {
      return element('p', { class: 'nothing' }, noValue || 'no data');
    }
    return element(
      'div',
      { class: 'stats' },
      element('div', { class: 'reading' }, element('div', { class: 'value' }, noValue)),
    );
  }

  #clear(): void {
    this.#undo?.();
    this.#undo = undefined;
    this.#body.replaceChildren();
  }

  #state(state: PanelState): void {
    this.root.dataset['state'] = state;
  }
}
