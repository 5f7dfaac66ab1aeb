/** Lines, areas or bars over time, drawn by uPlot. */
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { FieldConfig } from '../../model/dashboard.ts';
import { thresholdSteps } from '../../model/field-config.ts';
import { type Aligned, aligned, stacked } from '../../model/series.ts';
import type { TimeRange } from '../../model/time-range.ts';
import { timeText } from '../../model/time-text.ts';
import { formatValue } from '../../model/unit.ts';
import { canvasColor, namedColor, themeColor } from '../color.ts';
import { element } from '../element.ts';
import type { DrawPanel, PanelView } from '../panel-view.ts';
import { legend } from './legend.ts';
import { type ShownSeries, shownSeries } from './shown-series.ts';
import { tooltip } from './tooltip.ts';

/** Synchronizes the cursor of all charts of a dashboard. */
const POINTER = 'dashboard';
const FONT = '11px system-ui, sans-serif';
const LINE_WIDTH = 1.5;

const BINARY_STEPS = Array.from({ length: 50 }, (_none, power) => 2 ** power);
/** In seconds. */
const TIME_STEPS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800,
];

/** Values without a unit are mostly integers. */
const WHOLE_STEPS = Array.from(
  { length: 45 },
  (_none, index) => ([1, 2, 5][index % 3] ?? 1) * 10 ** Math.floor(index / 3),
);

export const drawTimeSeries: DrawPanel = (body, view) => {
  const shown = shownSeries(view).filter(({ config }) => config.custom?.hideFrom?.viz !== true);
  const chart = element('div', { class: 'chart' });
  const names = legend(shown, view);
  body.append(chart, ...(names === undefined ? [] : [names]));
  const isStacked = ['normal', 'percent'].includes(view.panel.fieldConfig?.defaults?.custom?.stacking?.mode ?? '');
  const plot = newPlot(chart, shown, view, isStacked);
  return () => plot.destroy();
};

function newPlot(chart: HTMLElement, shown: readonly ShownSeries[], view: PanelView, isStacked: boolean): uPlot {
  const { range, stepSeconds, nowMs, panel, zoom } = view;
  const { times, values } = aligned(
    shown.map(({ series }) => series),
    stepSeconds,
  );
  const visible = values.map((each, index) =>
    view.hidden.has(shown[index]?.name ?? '') ? each.map(() => undefined) : each,
  );
  const defaults = panel.fieldConfig?.defaults ?? {};
  const options: uPlot.Options = {
    width: chart.clientWidth,
    height: chart.clientHeight,
    // Space for the last label of the time axis.
    padding: [8, 26, 0, 0],
    legend: { show: false },
    cursor: { sync: { key: POINTER }, drag: { x: true, y: false, setScale: false }, points: { size: 6 } },
    scales: {
      x: { range: () => [range.fromMs / 1000, range.toMs / 1000] },
      y: { range: (_plot, min, max) => valueRange(min, max, defaults) },
    },
    axes: [timeAxis(range), valueAxis(defaults, values, nowMs)],
    series: [{}, ...shown.map((each) => lineOf(each, view, isStacked))],
    // Each area ends at the one below it.
    ...(isStacked && {
      bands: shown.slice(1).map((_each, index) => ({ series: [index + 2, index + 1] as [number, number] })),
    }),
    plugins: [tooltip(shown, values, nowMs)],
    hooks: {
      draw: [(plot) => drawThresholds(plot, defaults)],
      setSelect: [
        (plot) => {
          const { left, width } = plot.select;
          if (width < 5) return;
          const at = (pixels: number) => Math.round(plot.posToVal(pixels, 'x') * 1000);
          zoom({ fromMs: at(left), toMs: at(left + width) });
        },
      ],
    },
  };
  return new uPlot(options, plotData(times, isStacked ? stacked(visible) : visible), chart);
}

function plotData(times: Aligned['times'], values: Aligned['values']): uPlot.AlignedData {
  // uPlot bridges `undefined`, and leaves a gap at `null`.
  return [[...times], ...values.map((each) => each.map((value) => value ?? null))];
}

function lineOf({ name, color, config, series }: ShownSeries, { hidden }: PanelView, isStacked: boolean): uPlot.Series {
  const {
    drawStyle,
    lineInterpolation,
    lineWidth = LINE_WIDTH,
    lineStyle,
    fillOpacity = 0,
    ...custom
  } = config.custom ?? {};
  const { stepped, bars, linear, points: onlyPoints } = uPlot.paths;
  const paths = {
    bars: bars?.({ size: [0.9, 40] }),
    points: onlyPoints?.(),
  }[drawStyle ?? ''];
  const line = lineInterpolation === 'stepAfter' ? stepped?.({ align: 1 }) : linear?.();
  const fill = isStacked && custom.stacking?.mode === 'none' ? 0 : fillOpacity;
  const chosen = paths ?? line;
  return {
    label: name,
    show: !hidden.has(name),
    stroke: canvasColor(color),
    width: lineWidth,
    ...(lineStyle?.fill === 'dash' && { dash: [...(lineStyle.dash ?? [8, 6])] }),
    ...(fill > 0 && { fill: canvasColor(color, fill / 100) }),
    ...(chosen !== undefined && { paths: chosen }),
    // A single point would be invisible as a line.
    points: { show: drawStyle === 'points' || (series.times.length === 1 && !isStacked), size: 5 },
  };
}

/** The panel's limits. Default: from 0 to slightly above the highest value. */
function valueRange(min: number | null, max: number | null, config: FieldConfig): [number, number] {
  const { axisSoftMin = 0, axisSoftMax = -Infinity } = config.custom ?? {};
  const lowest = config.min ?? Math.min(min ?? 0, axisSoftMin);
  const highest = Math.max(max ?? 1, axisSoftMax);
  const top = config.max ?? (highest > lowest ? highest + (highest - lowest) * 0.08 : lowest + 1);
  return [lowest, top];
}

function timeAxis(range: TimeRange): uPlot.Axis {
  return {
    ...axis(),
    space: 70,
    incrs: TIME_STEPS,
    size: 28,
    values: (_plot, splits) => splits.map((time) => timeText(time * 1000, range)),
  };
}

function valueAxis(config: FieldConfig, values: Aligned['values'], nowMs: number): uPlot.Axis {
  const label = config.custom?.axisLabel ?? '';
  const text = (value: number) => formatValue(value, { unit: config.unit, decimals: config.decimals }, nowMs);
  const isWhole = values.every((each) => each.every((value) => value === undefined || Number.isInteger(value)));
  return {
    ...axis(),
    ...(label === '' ? {} : { label, labelFont: FONT, labelSize: 18 }),
    space: 32,
    ...(config.unit === 'bytes' ? { incrs: BINARY_STEPS } : isWhole ? { incrs: WHOLE_STEPS } : {}),
    values: (_plot, splits) => splits.map(text),
    size: (_plot, values) => 14 + 6.5 * Math.max(3, ...(values ?? []).map((value) => value?.length ?? 0)),
  };
}

function axis(): uPlot.Axis {
  const grid = { stroke: themeColor('--grid'), width: 1 };
  return { stroke: themeColor('--faint'), font: FONT, grid, ticks: { ...grid, size: 4 } };
}

/** A line at each threshold, if the panel shows thresholds. */
function drawThresholds(plot: uPlot, config: FieldConfig): void {
  const { ctx, bbox, scales } = plot;
  if (!/line|dashed/.test(config.custom?.thresholdsStyle?.mode ?? 'off')) return;
  for (const { from, color } of thresholdSteps(config.thresholds?.steps ?? [])) {
    const { min = 0, max = 0 } = scales['y'] ?? {};
    if (from < (min ?? 0) || from > (max ?? 0)) continue;
    const y = Math.round(plot.valToPos(from, 'y', true)) + 0.5;
    ctx.save();
    ctx.strokeStyle = canvasColor(namedColor(color) ?? themeColor('--faint'));
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    ctx.restore();
  }
}
