/** Parts of all dashboards: rows of panels, variables, links to the other dashboards of the framework. */
import {
  DashboardBuilder,
  DashboardCursorSync,
  DashboardLinkBuilder,
  DashboardLinkType,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  RowBuilder,
  VariableRefresh,
  VariableSort,
  type Dashboard,
} from '@grafana/grafana-foundation-sdk/dashboard';
import type { CounterDeclaration, GaugeDeclaration } from '@muster/metrics';
import { matchersText, type Matchers, type SeriesLabel } from '../promql/matchers.ts';
import { DATASOURCE, type PanelOf } from './panel.ts';
import type { Subject } from '../subject.ts';

const COLUMNS = 24;

export interface Row {
  readonly title: string;
  /** Their widths add up to whole lines. */
  readonly panels: readonly PanelOf[];
}

interface DashboardParts {
  /** The last part of its uid: `muster-<framework>-<name>`. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The time range that is selected first. Default: an hour. */
  readonly from?: 'now-1h' | 'now-7d';
  readonly variables: readonly QueryVariableBuilder[];
  readonly rows: readonly Row[];
}

/** Contains the framework, so that one Grafana can have the dashboards of several charts. */
export function dashboardUid(framework: string, name: string): string {
  return `muster-${framework}-${name}`;
}

export function dashboardOf(
  subject: Subject,
  { name, title, description, from = 'now-1h', variables, rows }: DashboardParts,
): Dashboard {
  const tag = `muster-${subject.framework}`;
  const builder = new DashboardBuilder(`Muster ${subject.title}: ${title}`)
    .uid(dashboardUid(subject.framework, name))
    .description(description)
    .tags(['muster', tag])
    .timezone('browser')
    .time({ from, to: 'now' })
    .refresh('30s')
    .readonly()
    .tooltip(DashboardCursorSync.Crosshair)
    .link(
      new DashboardLinkBuilder(`Muster ${subject.title}`)
        .type(DashboardLinkType.Dashboards)
        .tags([tag])
        .asDropdown(false)
        .includeVars(true)
        .keepTime(true),
    )
    .withVariable(new DatasourceVariableBuilder('datasource').label('Data source').type('prometheus'));
  for (const variable of variables) builder.withVariable(variable);
  for (const row of rows) {
    builder.withRow(new RowBuilder(row.title));
    for (const panel of row.panels) builder.withPanel(panel);
  }
  return withoutLeftovers(numbered(builder.build()));
}

/** Panel ids are stable while the panels do not change, so that links to a panel stay valid. */
function numbered(dashboard: Dashboard): Dashboard {
  for (const [index, panel] of (dashboard.panels ?? []).entries()) {
    panel.id = index + 1;
    const { x = 0, w = 0 } = panel.gridPos ?? {};
    if (x + w > COLUMNS) throw new Error(`panel ${panel.title} is wider than the rest of its line`);
  }
  return dashboard;
}

/** Removes fields that the SDK writes into every variable or table, and that Grafana's types do not have there. */
function withoutLeftovers(dashboard: Dashboard): Dashboard {
  for (const variable of dashboard.templating.list ?? []) {
    delete variable.auto;
    delete variable.auto_min;
    delete variable.auto_count;
  }
  for (const panel of dashboard.panels ?? []) {
    if ('options' in panel && panel.type === 'table') delete (panel.options as { footer?: unknown }).footer;
  }
  return dashboard;
}

type ChoosableMetric = GaugeDeclaration | CounterDeclaration;

interface ChoiceOf<M extends ChoosableMetric> {
  readonly name: string;
  readonly label: string;
  /** Has a series for each choice, with the choice as the label `by`. */
  readonly metric: M;
  readonly matchers: Matchers<M>;
  readonly by: SeriesLabel<M>;
}

/**
 * Several values of a label, or all.
 * @param all regular expression for all. Default: the values that exist
 * @param first the value that is selected first. Default: all
 */
export function severalOf<const M extends ChoosableMetric>(
  choice: ChoiceOf<M>,
  all?: string,
  first?: string,
): QueryVariableBuilder {
  const variable = oneOf(choice)
    .multi(true)
    .includeAll(true)
    .current({ selected: true, text: [first ?? 'All'], value: [first ?? '$__all'] });
  return all === undefined ? variable : variable.allValue(all);
}

/** One value of a label. */
export function oneOf<const M extends ChoosableMetric>({
  name,
  label,
  metric,
  matchers,
  by,
}: ChoiceOf<M>): QueryVariableBuilder {
  const query = `label_values(${metric.name}${matchersText(matchers)}, ${by})`;
  return new QueryVariableBuilder(name)
    .label(label)
    .datasource(DATASOURCE)
    .query({ query, refId: name })
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .sort(VariableSort.NaturalAsc);
}
