/** One large value for each series, with a graph of the time range behind it. */
import { shownNumber } from '../../model/field-config.ts';
import { reduced } from '../../model/series.ts';
import { namedColor } from '../color.ts';
import { element } from '../element.ts';
import type { DrawPanel, PanelView } from '../panel-view.ts';
import { type ShownSeries, shownSeries } from './shown-series.ts';

export const drawStat: DrawPanel = (body, view) => {
  const shown = shownSeries(view);
  body.append(element('div', { class: 'stats' }, ...shown.map((each) => stat(each, view, shown.length > 1))));
};

function stat(
  { series, name, config }: ShownSeries,
  { panel, nowMs, range }: PanelView,
  isOneOfSeveral: boolean,
): HTMLElement {
  const { reduceOptions, colorMode = 'value', graphMode = 'area', textMode = 'auto' } = panel.options ?? {};
  const value = reduced(series, reduceOptions?.calcs?.[0] ?? 'lastNotNull');
  const { text, color } = shownNumber(value, config, nowMs);
  const large = textMode === 'name' ? name : text;
  const isNamed = textMode === 'value_and_name' || (textMode === 'auto' && isOneOfSeveral);
  const made = element(
    'div',
    { class: 'reading' },
    isNamed ? element('div', { class: 'name', title: name }, name) : undefined,
    element('div', { class: 'value' }, large),
  );
  made.style.setProperty('--characters', String(Math.max(large.length, 3)));
  const shownColor = namedColor(color);
  if (shownColor !== undefined && colorMode !== 'none') {
    made.classList.toggle('filled', colorMode.startsWith('background'));
    made.style.setProperty('--own', shownColor);
  }
  if (graphMode === 'area' && series.times.length > 1) {
    made.append(course(series.times, series.values, [range.fromMs / 1000, range.toMs / 1000]));
  }
  return made;
}

const SVG = 'http://www.w3.org/2000/svg';

function course(
  times: readonly number[],
  values: readonly number[],
  [from, to]: readonly [number, number],
): SVGElement {
  const finite = values.filter(Number.isFinite);
  const [low, high] = [Math.min(0, ...finite), Math.max(...finite)];
  const points = times.flatMap((time, index) => {
    const value = values[index] ?? NaN;
    if (!Number.isFinite(value)) return [];
    const x = ((time - from) / (to - from)) * 100;
    return [[x, high === low ? 30 : 30 - ((value - low) / (high - low)) * 28] as const];
  });
  const line = points.map(([x, y]) => `${x.toFixed(2)},${y.toFixed(2)}`).join(' ');
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 100 30');
  svg.setAttribute('preserveAspectRatio', 'none');
  svg.setAttribute('aria-hidden', 'true');
  const area = document.createElementNS(SVG, 'polygon');
  area.setAttribute('points', `${points[0]?.[0] ?? 0},30 ${line} ${points.at(-1)?.[0] ?? 0},30`);
  const stroke = document.createElementNS(SVG, 'polyline');
  stroke.setAttribute('points', line);
  svg.append(area, stroke);
  return svg;
}
