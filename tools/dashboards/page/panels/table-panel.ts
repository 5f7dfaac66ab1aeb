/** A table. A click on the title of a column sorts by it. */
import type { FieldConfig } from '../../model/dashboard.ts';
import { displayName, fieldConfigOf, type Shown, shownNumber, shownText } from '../../model/field-config.ts';
import { type Cell, sorted, type Table, tableOf, TIME, transformed } from '../../model/table.ts';
import { namedColor } from '../color.ts';
import { element } from '../element.ts';
import type { DrawPanel, PanelView } from '../panel-view.ts';

export const drawTable: DrawPanel = (body, view) => {
  const { options } = view.panel;
  const table = tableFrom(view);
  const [by] = options?.sortBy ?? [];
  const first = by?.displayName === undefined ? table : sorted(table, by.displayName, by.desc ?? false);
  const place = element('div', { class: 'table' });
  body.append(place);
  const show = (shown: Table, column?: string, isDescending = false): void => {
    place.replaceChildren(
      drawn(shown, view, (wanted) => {
        const turns = wanted === column && !isDescending;
        show(sorted(first, wanted, turns), wanted, turns);
      }),
    );
  };
  show(first);
};

export function hasRows(view: Pick<PanelView, 'panel' | 'series'>): boolean {
  return tableFrom(view).rows.length > 0;
}

function tableFrom({ panel, series }: Pick<PanelView, 'panel' | 'series'>): Table {
  const targets = (panel.targets ?? []).filter(({ hide }) => hide !== true);
  const tables = targets.map(({ refId = '' }) =>
    tableOf(
      refId,
      series.filter((each) => each.refId === refId),
      targets.length > 1,
    ),
  );
  const [first] = transformed(tables, panel.transformations ?? []);
  return first ?? { columns: [], rows: [] };
}

function drawn(table: Table, view: PanelView, sort: (column: string) => void): HTMLElement {
  const columns = table.columns
    .map((name, place) => {
      const field = { name, isTime: name === TIME, isNumber: table.rows.some((row) => typeof row[place] === 'number') };
      const config = fieldConfigOf(view.panel, field);
      return { ...field, place, config: name === TIME ? { unit: 'dateTimeAsIso', ...config } : config };
    })
    .filter(({ config }) => config.custom?.hidden !== true);
  const heads = columns.map(({ config, name, isNumber }) => {
    const button = element('button', { type: 'button' }, displayName(config, { name }));
    button.addEventListener('click', () => sort(name));
    return element('th', { class: isNumber ? 'number' : '' }, button);
  });
  const rows = table.rows.map((row) => {
    const byName = Object.fromEntries(table.columns.map((name, place) => [name, row[place]]));
    const cells = columns.map(({ place, config, isNumber }) => cellOf(row[place], config, isNumber, byName, view));
    return element('tr', {}, ...cells);
  });
  return element('table', {}, element('thead', {}, element('tr', {}, ...heads)), element('tbody', {}, ...rows));
}

function cellOf(
  value: Cell,
  config: FieldConfig,
  isNumber: boolean,
  row: Readonly<Record<string, Cell>>,
  { nowMs, link }: PanelView,
): HTMLElement {
  const { text, color }: Shown =
    typeof value === 'string'
      ? shownText(value, config)
      : value === undefined
        ? { text: config.noValue ?? '' }
        : shownNumber(value, config, nowMs);
  const [dataLink] = config.links ?? [];
  const url = dataLink === undefined || text === '' ? undefined : link(dataLink.url, row, text);
  const content = url === undefined ? text : element('a', { href: url, title: dataLink?.title }, text);
  const made = element('td', { class: isNumber ? 'number' : '' }, content);
  const shownColor = namedColor(color);
  const kind = config.custom?.cellOptions?.type ?? 'auto';
  const isMapped = config.mappings !== undefined && config.mappings.length > 0;
  if (shownColor !== undefined && (kind.startsWith('color') || isMapped)) {
    made.style.setProperty('--own', shownColor);
    made.classList.add(kind === 'color-background' ? 'filled' : 'colored');
  }
  return made;
}
