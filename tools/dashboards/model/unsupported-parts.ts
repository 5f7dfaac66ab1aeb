/** Finds parts of a dashboard that the page does not draw. */
import type { Dashboard, FieldConfig, Panel } from './dashboard.ts';
import { MAPPINGS, MATCHERS } from './field-config.ts';
import { STATISTICS } from './series.ts';
import { TRANSFORMATIONS } from './table.ts';
import { UNITS } from './unit.ts';
import { labelValuesQuery } from './variables.ts';

/** Supported types of panels. */
export const PANEL_TYPES = [
  'row',
  'text',
  'timeseries',
  'stat',
  'gauge',
  'bargauge',
  'table',
  'heatmap',
  'state-timeline',
] as const;

export type PanelType = (typeof PANEL_TYPES)[number];

export function isPanelType(type: string): type is PanelType {
  return (PANEL_TYPES as readonly string[]).includes(type);
}

/** Supported types of variables. A data source has one value: the Prometheus of the page. */
const VARIABLE_TYPES = ['datasource', 'query', 'custom', 'constant', 'textbox', 'interval'];

/** One line for each unsupported part, with the title of its panel. */
export function unsupportedParts({ panels = [], templating }: Dashboard): string[] {
  const variables = (templating?.list ?? []).flatMap((variable) => {
    if (!VARIABLE_TYPES.includes(variable.type)) return [`variable ${variable.name}: type ${variable.type}`];
    if (variable.type !== 'query' || labelValuesQuery(variable) !== undefined) return [];
    return [`variable ${variable.name}: a query other than label_values`];
  });
  const all = panels.flatMap((panel) => [panel, ...(panel.panels ?? [])]);
  return [
    ...variables,
    ...all.flatMap((panel) => unsupportedIn(panel).map((part) => `panel "${panel.title}": ${part}`)),
  ];
}

function unsupportedIn({ type, fieldConfig, transformations = [], options }: Panel): string[] {
  const overrides = fieldConfig?.overrides ?? [];
  const overridden = overrides.map(({ properties }) =>
    Object.fromEntries(properties.map(({ id, value }) => [id, value])),
  ) as FieldConfig[];
  const configs = [fieldConfig?.defaults ?? {}, ...overridden];
  const calcs = [...(options?.legend?.calcs ?? []), ...(options?.reduceOptions?.calcs ?? [])];
  const unknown = (what: string, names: readonly (string | undefined)[], known: object) =>
    names.flatMap((name) => (name === undefined || Object.hasOwn(known, name) ? [] : [`${what} ${name}`]));
  return [
    ...(isPanelType(type) ? [] : [`type ${type}`]),
    ...unknown('statistic', calcs, STATISTICS),
    ...unknown(
      'transformation',
      transformations.map(({ id }) => id),
      TRANSFORMATIONS,
    ),
    ...unknown(
      'matcher',
      overrides.map(({ matcher }) => matcher.id),
      MATCHERS,
    ),
    ...unknown(
      'unit',
      configs.map(({ unit }) => (unit?.startsWith('suffix:') === true ? undefined : unit)),
      UNITS,
    ),
    ...unknown(
      'mapping',
      configs.flatMap(({ mappings = [] }) => mappings.map((mapping) => mapping.type)),
      MAPPINGS,
    ),
  ];
}
