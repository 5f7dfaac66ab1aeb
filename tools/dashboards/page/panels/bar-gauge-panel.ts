/** A bar for each series, relative to the maximum. */
import { shownNumber } from '../../model/field-config.ts';
import { reduced } from '../../model/series.ts';
import { namedColor } from '../color.ts';
import { element } from '../element.ts';
import type { DrawPanel } from '../panel-view.ts';
import { shownSeries } from './shown-series.ts';

export const drawBarGauge: DrawPanel = (body, { panel, series, nowMs }) => {
  const calc = panel.options?.reduceOptions?.calcs?.[0] ?? 'lastNotNull';
  const bars = shownSeries({ panel, series }).map((each) => ({ ...each, value: reduced(each.series, calc) }));
  const largest = Math.max(...bars.map(({ value }) => value ?? 0));
  const rows = bars.map(({ name, value, config, color }) => {
    const shown = shownNumber(value, config, nowMs);
    const [min, max] = [config.min ?? 0, config.max ?? largest];
    const share = max > min ? Math.min(Math.max(((value ?? 0) - min) / (max - min), 0), 1) : 0;
    const bar = element('div', { class: 'bar' });
    bar.style.width = `${(share * 100).toFixed(1)}%`;
    bar.style.background = (config.color?.mode === 'palette-classic' ? undefined : namedColor(shown.color)) ?? color;
    const track = element('div', { class: 'track' }, bar);
    return [element('span', { class: 'name', title: name }, name), track, element('b', {}, shown.text)];
  });
  body.append(element('div', { class: 'bars' }, ...rows.flat()));
};
