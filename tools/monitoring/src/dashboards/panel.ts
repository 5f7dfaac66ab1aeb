/**
 * Builders of panels. Each panel has a description and a unit. Only Grafana's built-in panels are used.
 */
import { PanelBuilder as BarGauge } from '@grafana/grafana-foundation-sdk/bargauge';
import type { Builder, Dataquery } from '@grafana/grafana-foundation-sdk/cog';
import {
  BarGaugeDisplayMode,
  BigValueColorMode,
  BigValueGraphMode,
  type BigValueTextMode,
  GraphDrawStyle,
  GraphThresholdsStyleMode,
  LegendDisplayMode,
  LegendPlacement,
  ReduceDataOptionsBuilder,
  SortOrder,
  StackingConfigBuilder,
  StackingMode,
  TableSortByFieldStateBuilder,
  TooltipDisplayMode,
  VisibilityMode,
  VizLegendOptionsBuilder,
  VizOrientation,
  VizTooltipOptionsBuilder,
  GraphThresholdsStyleConfigBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import {
  FieldColorBuilder,
  FieldColorModeId,
  MappingType,
  type Panel,
  type ThresholdsConfig,
  ThresholdsConfigBuilder,
  ThresholdsMode,
  type ValueMapping,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { HeatmapColorOptionsBuilder, PanelBuilder as Heatmap } from '@grafana/grafana-foundation-sdk/heatmap';
import { DataqueryBuilder, PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder as Stat } from '@grafana/grafana-foundation-sdk/stat';
import { PanelBuilder as StateTimeline } from '@grafana/grafana-foundation-sdk/statetimeline';
import { PanelBuilder as Table } from '@grafana/grafana-foundation-sdk/table';
import { PanelBuilder as Text, TextMode } from '@grafana/grafana-foundation-sdk/text';
import { PanelBuilder as TimeSeries } from '@grafana/grafana-foundation-sdk/timeseries';
import type { Vector } from '../promql/vector.ts';

/** The data source that is selected at the top of a dashboard. */
export const DATASOURCE = { type: 'prometheus', uid: '${datasource}' };

export interface Query {
  readonly vector: Vector<string>;
  /** Name of a series; `{{label}}` is replaced by the value of the label. */
  readonly legend: string;
}

/** From `warn` a value is orange, from `bad` red. */
export interface Limits {
  readonly warn?: number;
  readonly bad: number;
}

interface PanelText {
  readonly title: string;
  /** What it shows, and what to do about it. */
  readonly description: string;
}

export interface QueryPanel extends PanelText {
  /** A unit of Grafana: `s`, `bytes`, `percentunit`, `short`, `reqps`, … */
  readonly unit: string;
  readonly queries: readonly Query[];
  /** In columns, 24 per line. */
  readonly width: number;
  readonly height?: number;
  readonly limits?: Limits;
  /** Colours of series by name. */
  readonly colours?: Readonly<Record<string, string>>;
}

export type PanelOf = Builder<Panel>;

/** Lines over time. `stacked`: the series are parts of a whole. */
export function lines(panel: QueryPanel & Pick<StatPanel, 'none'> & { readonly stacked?: boolean }): PanelOf {
  const { limits, none, stacked = false } = panel;
  const builder = filled(new TimeSeries(), panel)
    .min(0)
    .legend(legend())
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi).sort(SortOrder.Descending))
    .drawStyle(GraphDrawStyle.Line)
    .showPoints(VisibilityMode.Never)
    .lineWidth(1)
    .fillOpacity(stacked ? 30 : 5)
    .stacking(new StackingConfigBuilder().mode(stacked ? StackingMode.Normal : StackingMode.None).group('A'));
  if (none !== undefined) builder.noValue(none);
  if (limits !== undefined) {
    builder
      .thresholds(thresholds(limits))
      .thresholdsStyle(new GraphThresholdsStyleConfigBuilder().mode(GraphThresholdsStyleMode.Dashed));
  }
  return builder;
}

interface StatPanel extends QueryPanel {
  /** The value, or the name of the series. Default: the value. */
  readonly shows?: BigValueTextMode;
  /** Text and colour of values. */
  readonly mappings?: readonly ValueMapping[];
  /** Text without a series. */
  readonly none?: string;
  /** Digits after the decimal point. An increase is an estimate, so it may not be an integer. */
  readonly decimals?: number;
}

/** One number: the current value. */
export function stat({ shows, mappings = [], none = '–', decimals, ...panel }: StatPanel): PanelOf {
  const builder = filled(new Stat(), panel, true)
    .noValue(none)
    .mappings([...mappings])
    .graphMode(BigValueGraphMode.None)
    .colorMode(isPlain(panel, mappings) ? BigValueColorMode.None : BigValueColorMode.Value)
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']));
  if (panel.limits !== undefined) builder.thresholds(thresholds(panel.limits));
  if (decimals !== undefined) builder.decimals(decimals);
  return shows === undefined ? builder : builder.textMode(shows);
}

function isPlain({ limits, colours }: QueryPanel, mappings: readonly ValueMapping[]): boolean {
  return limits === undefined && colours === undefined && mappings.length === 0;
}

/** One bar for the current value of each series. */
export function bars({
  none = '–',
  decimals,
  max,
  ...panel
}: QueryPanel & Pick<StatPanel, 'none' | 'decimals'> & { readonly max?: number }): PanelOf {
  const builder = filled(new BarGauge(), panel, true);
  if (decimals !== undefined) builder.decimals(decimals);
  // Default: the largest value.
  if (max !== undefined) builder.max(max);
  return builder
    .noValue(none)
    .min(0)
    .orientation(VizOrientation.Horizontal)
    .displayMode(BarGaugeDisplayMode.Basic)
    .colorScheme(new FieldColorBuilder().mode(FieldColorModeId.PaletteClassic))
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']));
}

/** Observations of a histogram by bucket, over time. The query returns buckets by `le`. */
export function heatmap(panel: QueryPanel): PanelOf {
  const builder = described(new Heatmap(), panel)
    .unit('short')
    .yAxis({ build: () => ({ unit: panel.unit }) })
    .color(new HeatmapColorOptionsBuilder().scheme('Blues').steps(64))
    .showLegend();
  for (const [index, query] of panel.queries.entries()) {
    builder.withTarget(target(query, index).format(PromQueryFormat.Heatmap).range());
  }
  return builder;
}

interface TimelinePanel extends Omit<QueryPanel, 'colours'>, Pick<StatPanel, 'none'> {
  /** Colours by state. The series of a state has its name, and is 1 while the state holds. */
  readonly states: Readonly<Record<string, string>>;
}

/** A row for each state, with a bar in its colour while it holds. */
export function timeline({ states, none, ...panel }: TimelinePanel): PanelOf {
  const builder = filled(new StateTimeline(), panel);
  if (none !== undefined) builder.noValue(none);
  for (const [text, color] of Object.entries(states)) {
    const mapping: ValueMapping = { type: MappingType.ValueToText, options: { '1': { text, color } } };
    builder.overrideByName(text, [{ id: 'mappings', value: [mapping] }]);
  }
  return builder
    .showValue(VisibilityMode.Never)
    .mergeValues(true)
    .rowHeight(0.8)
    .fillOpacity(80)
    .lineWidth(0)
    .legend(new VizLegendOptionsBuilder().showLegend(false).displayMode(LegendDisplayMode.List));
}

interface TablePanel extends Omit<QueryPanel, 'queries'> {
  readonly vector: Vector<string>;
  /** Text without a row. */
  readonly none?: string;
  /** Column titles by label, in order; `Value` is the value. Other labels are not shown. */
  readonly columns: Readonly<Record<string, string>>;
  /** Link of the cells of a column. */
  readonly link?: { readonly column: string; readonly title: string; readonly url: string };
  /** Default order: ascending. */
  readonly sortBy?: { readonly column: string; readonly largestFirst?: boolean };
}

/** One row for the current value of each series. */
export function table({ vector, columns, link, sortBy, none, ...panel }: TablePanel): PanelOf {
  const hidden = ['Time', 'Value', ...vector.labels].filter((name) => !(name in columns));
  const order = Object.fromEntries(Object.keys(columns).map((name, index) => [name, index]));
  const builder = described(new Table(), panel)
    .unit(panel.unit)
    .withTarget(target({ vector, legend: '' }, 0).format(PromQueryFormat.Table).instant())
    .withTransformation({
      id: 'organize',
      options: {
        excludeByName: Object.fromEntries(hidden.map((name) => [name, true])),
        indexByName: order,
        renameByName: columns,
      },
    });
  if (none !== undefined) builder.noValue(none);
  if (sortBy !== undefined) {
    const { column, largestFirst = false } = sortBy;
    builder.sortBy([new TableSortByFieldStateBuilder().displayName(column).desc(largestFirst)]);
  }
  if (link !== undefined) {
    const { column, title, url } = link;
    builder.overrideByName(column, [{ id: 'links', value: [{ title, url }] }]);
  }
  return builder;
}

/** Text in Markdown. */
export function textPanel({
  title,
  content,
  width,
  height = 6,
}: {
  title: string;
  content: string;
  width: number;
  height?: number;
}): PanelOf {
  return new Text().title(title).mode(TextMode.Markdown).content(content).span(width).height(height);
}

function thresholds({ warn, bad }: Limits): Builder<ThresholdsConfig> {
  const steps = [{ value: null, color: 'green' }];
  const limits = [...(warn === undefined ? [] : [{ value: warn, color: 'orange' }]), { value: bad, color: 'red' }];
  return new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps([...steps, ...limits]);
}

/** Methods that builders of all panels have. */
interface AnyBuilder<Self> {
  title(title: string): Self;
  description(description: string): Self;
  datasource(datasource: typeof DATASOURCE): Self;
  span(width: number): Self;
  height(height: number): Self;
}

interface QueryBuilder<Self> extends AnyBuilder<Self> {
  unit(unit: string): Self;
  withTarget(target: Builder<Dataquery>): Self;
  overrideByName(name: string, properties: { id: string; value: unknown }[]): Self;
}

function described<B extends AnyBuilder<B>>(builder: B, panel: PanelText & { width: number; height?: number }): B {
  return builder
    .title(panel.title)
    .description(panel.description)
    .datasource(DATASOURCE)
    .span(panel.width)
    .height(panel.height ?? 8);
}

/** @param onlyNow makes instant queries */
function filled<B extends QueryBuilder<B>>(builder: B, panel: QueryPanel, onlyNow = false): B {
  described(builder, panel).unit(panel.unit);
  for (const [index, query] of panel.queries.entries()) {
    const each = target(query, index);
    builder.withTarget(onlyNow ? each.instant() : each.range());
  }
  for (const [name, fixedColor] of Object.entries(panel.colours ?? {})) {
    builder.overrideByName(name, [{ id: 'color', value: { mode: 'fixed', fixedColor } }]);
  }
  return builder;
}

function target({ vector, legend: name }: Query, index: number): DataqueryBuilder {
  const unknown = [...name.matchAll(/{{(\w+)}}/g)].filter(([, label]) => !vector.labels.includes(label ?? ''));
  if (unknown.length > 0) throw new Error(`legend ${name}: ${vector.promql} has no such label`);
  return new DataqueryBuilder()
    .datasource(DATASOURCE)
    .refId(String.fromCharCode('A'.charCodeAt(0) + index))
    .expr(vector.promql)
    .legendFormat(name);
}

function legend(): VizLegendOptionsBuilder {
  return new VizLegendOptionsBuilder()
    .showLegend(true)
    .displayMode(LegendDisplayMode.List)
    .placement(LegendPlacement.Bottom);
}
