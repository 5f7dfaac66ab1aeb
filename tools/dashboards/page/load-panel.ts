import type { Panel, Target } from '../model/dashboard.ts';
import { type Series, seriesOf } from '../model/series.ts';
import { intervalVariables, stepOf, type TimeRange } from '../model/time-range.ts';
import { interpolated, type VariableState } from '../model/variables.ts';
import { queryAt, queryRange } from './prometheus.ts';

export interface PanelQuery {
  readonly range: TimeRange;
  readonly scrapeIntervalMs: number;
  readonly variables: readonly VariableState[];
  readonly widthPixels: number;
}

export interface PanelData {
  readonly series: readonly Series[];
  readonly stepSeconds: number;
}

/** Wide enough to see single cells of a heatmap. */
const PIXELS_PER_POINT: Readonly<Record<string, number>> = { heatmap: 12, 'state-timeline': 4 };

/** Throws an Error with the message of Prometheus and the query. */
export async function loadPanel(
  panel: Panel,
  { range, scrapeIntervalMs, variables, widthPixels }: PanelQuery,
): Promise<PanelData> {
  const points = Math.max(widthPixels, 100) / (PIXELS_PER_POINT[panel.type] ?? 2);
  const targets = (panel.targets ?? []).filter(({ hide, expr = '' }) => hide !== true && expr !== '');
  const intervals = [panel.interval, ...targets.map(({ interval }) => interval)].filter((each) => (each ?? '') !== '');
  const stepSeconds = stepOf(range, { scrapeIntervalMs, points, minInterval: intervals[0] });
  const fixed = intervalVariables(range, stepSeconds, scrapeIntervalMs);
  const load = async (target: Target): Promise<Series[]> => {
    const query = interpolated(target.expr ?? '', variables, fixed);
    try {
      const data = await (target.instant === true ? queryAt(query, range.toMs) : queryRange(query, range, stepSeconds));
      return seriesOf({ ...target, legendFormat: interpolated(target.legendFormat ?? '', variables) }, data);
    } catch (error) {
      throw new Error(`${error instanceof Error ? error.message : String(error)}\n\n${query}`, { cause: error });
    }
  };
  const answers = await Promise.all(targets.map(load));
  return { series: answers.flat(), stepSeconds };
}
