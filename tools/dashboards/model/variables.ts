/** Variables of a dashboard: possible values, selected values, and interpolation. */
import type { Variable } from './dashboard.ts';

export const ALL = '$__all';

/** A variable with its current possible values. */
export interface VariableState {
  readonly variable: Variable;
  readonly values: readonly string[];
  readonly chosen: readonly string[];
}

/** `label_values(selector, label)`: values of a label of all or the selected series. */
export interface LabelValuesQuery {
  readonly selector?: string;
  readonly label: string;
}

/** Undefined for a variable with another query. */
export function labelValuesQuery(variable: Variable): LabelValuesQuery | undefined {
  const query = typeof variable.query === 'string' ? variable.query : (variable.query?.query ?? '');
  const inside = /^\s*label_values\((.*)\)\s*$/s.exec(query)?.[1]?.trim();
  if (inside === undefined) return undefined;
  // The selector can contain commas.
  const [, selector, label = ''] = /^(?:(.*),)?\s*([a-zA-Z_]\w*)$/s.exec(inside) ?? [];
  if (label === '') return undefined;
  return { label, ...(selector === undefined ? {} : { selector: selector.trim() }) };
}

/** Values of a variable that the dashboard contains. */
export function fixedValues(variable: Variable): string[] {
  if (variable.type === 'constant' || variable.type === 'textbox') return [queryText(variable)];
  const written = queryText(variable)
    .split(',')
    .map((value) => value.trim())
    .filter((value) => value !== '');
  return written.length > 0 ? written : (variable.options ?? []).flatMap(({ value }) => value ?? []);
}

function queryText({ query }: Variable): string {
  return typeof query === 'string' ? query : (query?.query ?? '');
}

/** Applies the variable's `regex` and order, without duplicates. */
export function arranged(variable: Variable, values: readonly string[]): string[] {
  const regex = variable.regex ?? '';
  const [, pattern = regex, flags = ''] = /^\/(.*)\/(\w*)$/s.exec(regex) ?? [];
  const taken =
    regex === ''
      ? values
      : values.flatMap((value) => {
          const match = new RegExp(pattern, flags.replace('g', '')).exec(value);
          return match === null ? [] : (match[1] ?? match[0]);
        });
  return [...new Set(taken)].sort(ORDERS[variable.sort ?? 0] ?? (() => 0));
}

const byAlphabet = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);
const byNumber = (one: string, other: string) => Number.parseFloat(one) - Number.parseFloat(other);
const naturally = (one: string, other: string) => one.localeCompare(other, 'en', { numeric: true });
const withoutCase = (one: string, other: string) => byAlphabet(one.toLowerCase(), other.toLowerCase());
type Order = (one: string, other: string) => number;
const reversed =
  (order: Order): Order =>
  (one, other) =>
    order(other, one);
const ORDERS: readonly (Order | undefined)[] = [
  undefined,
  byAlphabet,
  reversed(byAlphabet),
  byNumber,
  reversed(byNumber),
  withoutCase,
  reversed(withoutCase),
  naturally,
  reversed(naturally),
];

/** Selected values: the requested ones, or those in the dashboard, if they exist; otherwise all, or the first. */
export function chosenOf(variable: Variable, values: readonly string[], requested?: readonly string[]): string[] {
  const written = variable.current?.value ?? [];
  const own = typeof written === 'string' ? [written] : written;
  for (const wanted of [requested ?? [], own]) {
    if (wanted.includes(ALL) && variable.includeAll === true) return [ALL];
    const known = wanted.filter((value) => values.includes(value) || variable.type === 'textbox');
    if (known.length > 0) return variable.multi === true ? known : known.slice(0, 1);
  }
  if (variable.includeAll === true) return [ALL];
  return values.slice(0, 1);
}

const REFERENCE = /\$(\w+)|\$\{(\w+)(?::(\w+))?\}|\[\[(\w+)(?::(\w+))?\]\]/g;

/**
 * Replaces variables in text, for PromQL: several values become a regular expression with alternatives. Unknown variables are kept, so that
 * the query's error names them.
 */
export function interpolated(
  text: string,
  variables: readonly VariableState[],
  fixed: Readonly<Record<string, string>> = {},
): string {
  return text.replace(REFERENCE, (whole: string, ...groups: (string | undefined)[]) => {
    const name = groups[0] ?? groups[1] ?? groups[3] ?? '';
    const known = fixed[name];
    if (known !== undefined) return known;
    const state = variables.find(({ variable }) => variable.name === name);
    return state === undefined ? whole : formatted(state, groups[2] ?? groups[4]);
  });
}

function formatted({ variable, values, chosen }: VariableState, format: string | undefined): string {
  const isAll = chosen.includes(ALL);
  if (isAll && (variable.allValue ?? '') !== '') return variable.allValue ?? '';
  const wanted = isAll ? values : chosen;
  if (format === 'raw' || format === 'text' || format === 'csv') return wanted.join(',');
  if (format === 'pipe') return wanted.join('|');
  // All of a variable without values: match everything.
  if (isAll && wanted.length === 0) return '.*';
  const takesSeveral = variable.multi === true || variable.includeAll === true;
  if (format !== 'regex' && !takesSeveral) return (wanted[0] ?? '').replace(/[\\"]/g, '\\$&');
  const escaped = wanted.map((value) => value.replace(/[\\^$.*+?()[\]{}|]/g, '\\\\$&').replaceAll('"', '\\"'));
  return escaped.length === 1 ? (escaped[0] ?? '') : `(${escaped.join('|')})`;
}
