/** Series of a panel with name, colour and configuration. */
import type { FieldConfig } from '../../model/dashboard.ts';
import { displayName, fieldConfigOf } from '../../model/field-config.ts';
import { reduced, type Series } from '../../model/series.ts';
import { thresholdColor } from '../../model/field-config.ts';
import { namedColor, seriesColor } from '../color.ts';
import type { PanelView } from '../panel-view.ts';

export interface ShownSeries {
  readonly series: Series;
  readonly name: string;
  readonly color: string;
  readonly config: FieldConfig;
}

export function shownSeries({ panel, series }: Pick<PanelView, 'panel' | 'series'>): ShownSeries[] {
  return series.map((each, index) => {
    const field = { name: each.name, refId: each.refId, isNumber: true };
    const config = fieldConfigOf(panel, field);
    return { series: each, name: displayName(config, field), color: colorOf(each, config, index), config };
  });
}

function colorOf(series: Series, config: FieldConfig, index: number): string {
  const { mode, fixedColor } = config.color ?? {};
  if (mode === 'fixed') return namedColor(fixedColor) ?? seriesColor(index);
  const last = mode === 'thresholds' ? reduced(series, 'lastNotNull') : undefined;
  const reached = last === undefined ? undefined : thresholdColor(last, config);
  return namedColor(reached) ?? seriesColor(index);
}
