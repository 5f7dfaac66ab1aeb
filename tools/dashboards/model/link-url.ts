/** Where a cell of a table leads. */
import type { Cell } from './table.ts';
import type { VariableState } from './variables.ts';

export interface LinkContext {
  /** The cells of the row by the heads of their columns. */
  readonly row: Readonly<Record<string, Cell>>;
  /** The cell as it is shown. */
  readonly text: string;
  readonly variables: readonly VariableState[];
  /** `from` and `to` as they stand in the address. */
  readonly time: Readonly<Record<'from' | 'to', string>>;
}

/**
 * The address of a link as Grafana writes it, with what the row, the variables and the time say filled in. Undefined of one that leads
 * neither into this page nor to a website.
 */
export function linkUrl(template: string, { row, text, variables, time }: LinkContext): string | undefined {
  const url = template.replace(/\$\{([^}]+)\}/g, (_whole, asked: string) => {
    if (asked === '__value.text' || asked === '__value.raw') return encodeURIComponent(text);
    if (asked === '__url_time_range') return new URLSearchParams(time).toString();
    const field = /^__data\.fields(?:\.(.+)|\["(.+)"\])$/.exec(asked);
    if (field !== null) return encodeURIComponent(row[field[1] ?? field[2] ?? ''] ?? '');
    const [name = '', format = ''] = asked.split(':');
    const chosen = variables.find(({ variable }) => variable.name === name)?.chosen ?? [];
    if (format !== 'queryparam') return encodeURIComponent(chosen.join(','));
    return chosen.map((value) => `var-${name}=${encodeURIComponent(value)}`).join('&');
  });
  return /^(?:\/(?!\/)|https?:\/\/)/.test(url) ? url : undefined;
}
