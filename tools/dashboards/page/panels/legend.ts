/** Names of a panel's series with values, and their statistics. A click shows one series alone, or all again. */
import { formatValue } from '../../model/unit.ts';
import { reduced, STATISTIC_NAMES } from '../../model/series.ts';
import { element } from '../element.ts';
import type { PanelView } from '../panel-view.ts';
import type { ShownSeries } from './shown-series.ts';

export function legend(shown: readonly ShownSeries[], view: PanelView): HTMLElement | undefined {
  const { displayMode = 'list', showLegend = true, calcs = [] } = view.panel.options?.legend ?? {};
  const listed = shown.filter(
    ({ config, series }) =>
      config.custom?.hideFrom?.legend !== true && series.values.some((value) => !Number.isNaN(value)),
  );
  if (!showLegend || listed.length === 0) return undefined;
  const entries = listed.map((each) => entry(each, shown, view));
  if (displayMode !== 'table' || calcs.length === 0) return element('div', { class: 'legend' }, ...entries);
  const heads = calcs.map((calc) => element('th', {}, STATISTIC_NAMES[calc] ?? calc));
  const rows = listed.map((each, index) => {
    const cells = calcs.map((calc) => element('td', {}, statistic(each, calc, view)));
    return element('tr', {}, element('td', {}, entries[index]), ...cells);
  });
  const head = element('thead', {}, element('tr', {}, element('th', {}, ''), ...heads));
  return element('div', { class: 'legend' }, element('table', {}, head, element('tbody', {}, ...rows)));
}

function statistic({ series, config }: ShownSeries, calc: string, { nowMs }: PanelView): string {
  const value = reduced(series, calc);
  return value === undefined ? '' : formatValue(value, config, nowMs);
}

function entry({ name, color }: ShownSeries, all: readonly ShownSeries[], { hidden, redraw }: PanelView): HTMLElement {
  const mark = element('span', { class: 'mark' });
  mark.style.background = color;
  const made = element(
    'button',
    { type: 'button', class: hidden.has(name) ? 'entry hidden' : 'entry', title: name },
    mark,
    name,
  );
  made.addEventListener('click', () => {
    const isAlone = !hidden.has(name) && hidden.size === all.length - 1;
    hidden.clear();
    if (!isAlone) for (const other of all) if (other.name !== name) hidden.add(other.name);
    redraw();
  });
  return made;
}
