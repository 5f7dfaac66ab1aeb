/** Results of queries as tables, and transformations of Grafana. */
import type { Transformation } from './dashboard.ts';
import type { Series } from './series.ts';

export type Cell = string | number | undefined;

export interface Table {
  readonly refId?: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

export const TIME = 'Time';

/** One row for the last value of each series, as in the format `table` of an instant query: time in ms, labels, value. */
export function tableOf(refId: string, series: readonly Series[], hasSiblings: boolean): Table {
  const labels = [...new Set(series.flatMap((each) => Object.keys(each.labels)))].sort();
  return {
    refId,
    columns: [TIME, ...labels, hasSiblings ? `Value #${refId}` : 'Value'],
    rows: series.map((each) => [
      (each.times.at(-1) ?? NaN) * 1000,
      ...labels.map((label) => each.labels[label]),
      each.values.at(-1),
    ]),
  };
}

/** Supported transformations. Each transforms all tables. */
export const TRANSFORMATIONS: Readonly<
  Record<string, (tables: readonly Table[], options: Record<string, unknown>) => Table[]>
> = {
  merge: (tables) => [joined(tables, sharedColumns(tables))],
  joinByField: (tables, { byField, mode }) => {
    const key = typeof byField === 'string' ? byField : TIME;
    const one = joined(tables, [key]);
    if (mode !== 'inner') return [one];
    const inAll = (row: readonly Cell[]) =>
      tables.every((table) => valuesIn(table, key).includes(row[one.columns.indexOf(key)]));
    return [{ ...one, rows: one.rows.filter(inAll) }];
  },
  organize: (tables, options) => tables.map((table) => organized(table, options)),
  filterFieldsByName: (tables, { include }) => {
    const { names, pattern } = (include ?? {}) as { names?: string[]; pattern?: string };
    const isWanted = (column: string) =>
      (names ?? []).includes(column) || (pattern !== undefined && new RegExp(pattern).test(column));
    return tables.map((table) => picked(table, table.columns.filter(isWanted)));
  },
  sortBy: (tables, { sort }) => {
    const [by] = (sort ?? []) as { field?: string; desc?: boolean }[];
    return tables.map((table) => sorted(table, by?.field ?? '', by?.desc ?? false));
  },
};

/** Applies all transformations in order. */
export function transformed(tables: readonly Table[], transformations: readonly Transformation[]): Table[] {
  return transformations
    .filter(({ disabled }) => disabled !== true)
    .reduce<Table[]>(
      (done, { id, options }) => TRANSFORMATIONS[id]?.(done, (options ?? {}) as Record<string, unknown>) ?? done,
      [...tables],
    );
}

/** Common columns of all tables, without values. */
function sharedColumns(tables: readonly Table[]): string[] {
  const [first, ...others] = tables.filter(({ rows }) => rows.length > 0);
  const shared = (first?.columns ?? []).filter((column) => others.every(({ columns }) => columns.includes(column)));
  // The time is no key, because it differs between rows of the same labels if one query is late.
  const keys = shared.filter((column) => column !== TIME && !/^Value( #\w+)?$/.test(column));
  return keys.length > 0 ? keys : shared;
}

/** Merges rows with the same keys. For a column, the first value is kept. */
function joined(tables: readonly Table[], keys: readonly string[]): Table {
  const columns = [...new Set(tables.flatMap((table) => table.columns))];
  const rows = new Map<string, Cell[]>();
  for (const table of tables) {
    for (const row of table.rows) {
      const cell = (column: string) => row[table.columns.indexOf(column)];
      const id = JSON.stringify(keys.map((key) => cell(key) ?? null));
      const merged = rows.get(id) ?? columns.map(() => undefined);
      rows.set(
        id,
        merged.map((known, index) => known ?? cell(columns[index] ?? '')),
      );
    }
  }
  return { columns, rows: [...rows.values()] };
}

function organized(table: Table, options: Record<string, unknown>): Table {
  const { excludeByName, includeByName, indexByName, renameByName } = options as Record<
    string,
    Record<string, never> | undefined
  >;
  const included = Object.entries(includeByName ?? {}).flatMap(([column, is]) => (is ? [column] : []));
  const wanted = table.columns
    .filter((column) => !excludeByName?.[column] && (included.length === 0 || included.includes(column)))
    .map((column, place) => ({ column, place: indexByName?.[column] ?? 1000 + place }))
    .sort((one, other) => one.place - other.place)
    .map(({ column }) => column);
  const { rows, columns } = picked(table, wanted);
  return { ...table, rows, columns: columns.map((column) => renameByName?.[column] || column) };
}

function picked(table: Table, columns: readonly string[]): Table {
  const places = columns.map((column) => table.columns.indexOf(column));
  return { ...table, columns, rows: table.rows.map((row) => places.map((place) => row[place])) };
}

/** Sorts numbers by size, other values alphabetically. Missing values are last in both directions. */
export function sorted(table: Table, column: string, isDescending: boolean): Table {
  const place = table.columns.indexOf(column);
  if (place < 0) return table;
  const compare = (one: Cell, other: Cell) =>
    typeof one === 'number' && typeof other === 'number' ? one - other : String(one).localeCompare(String(other), 'en');
  const rows = [...table.rows].sort((oneRow, otherRow) => {
    const [one, other] = [oneRow[place], otherRow[place]];
    if (one === undefined || other === undefined) return Number(one === undefined) - Number(other === undefined);
    return isDescending ? compare(other, one) : compare(one, other);
  });
  return { ...table, rows };
}

function valuesIn(table: Table, column: string): Cell[] {
  const place = table.columns.indexOf(column);
  return table.rows.map((row) => row[place]);
}
