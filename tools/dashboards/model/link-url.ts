/** Link of a cell of a table. */
import type { Cell } from './table.ts';
import type { VariableState } from './variables.ts';

export interface LinkContext {
  /** Cells of the row by column title. */
  readonly row: Readonly<Record<string, Cell>>;
  /** Text of the cell. */
  readonly text: string;
  readonly variables: readonly VariableState[];
  /** `from` and `to` of the address. */
  readonly time: Readonly<Record<'from' | 'to', string>>;
}

/**
 * Fills row, variables and time into a link of Grafana. Undefined if the result is neither a path of this page nor a website.
 */
export function linkUrl(template: string, { row, text, variables, time }: LinkContext): string | undefined {
  const url = template.replace(/\$\{([^}]+)\}/g, (_whole, name: string) => {
    if (name === '__value.text' || name === '__value.raw') return encodeURIComponent(text);
    if (name === '__url_time_range') return new URLSearchParams(time).toString();
    const field = /^__data\.fields(?:\.(.+)|\["(.+)"\])$/.exec(name);
    if (field !== null) return encodeURIComponent(row[field[1] ?? field[2] ?? ''] ?? '');
    const [variableName = '', format = ''] = name.split(':');
    const chosen = variables.find(({ variable }) => variable.name === variableName)?.chosen ?? [];
    if (format !== 'queryparam') return encodeURIComponent(chosen.join(','));
    return chosen.map((value) => `var-${variableName}=${encodeURIComponent(value)}`).join('&');
  });
  return /^(?:\/(?!\/)|https?:\/\/)/.test(url) ? url : undefined;
}
