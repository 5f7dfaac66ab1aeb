/**
 * Formats columns separated by two blanks, as kubectl does. A cell is one line. On a terminal that is narrower than the table, text
 * in the last column is wrapped at words: in its column, or below the row if the column has no room.
 */
import { withoutControls } from './control-characters.ts';
import { wrapped, type Terminal } from './wrap.ts';

export interface TableOptions {
  readonly indent?: string;
  /** Formats a cell that has its final width. */
  readonly shown?: (padded: string, cell: string, column: number) => string;
  readonly terminal?: Terminal;
}

const GAP = '  ';
const NARROWEST_TEXT = 30;

export function table(
  rows: readonly (readonly string[])[],
  { indent = '', shown = (padded) => padded, terminal = process.stdout }: TableOptions = {},
): string {
  const cells = rows.map((row) => row.map((cell) => withoutControls(cell.trim().replaceAll(/\s*\n\s*/g, ' '))));
  const widths = cells.reduce<number[]>(
    (widest, row) => row.map((cell, column) => Math.max(widest[column] ?? 0, cell.length)),
    [],
  );
  const { isTTY = false, columns = 0 } = terminal;
  const textColumn = widths.slice(0, -1).reduce((sum, width) => sum + width + GAP.length, indent.length);
  const lines = cells.map((row) => {
    const padded = row.map((cell, column) => shown(cell.padEnd(widths[column] ?? 0), cell, column));
    const start = `${indent}${padded
      .slice(0, -1)
      .map((cell) => `${cell}${GAP}`)
      .join('')}`;
    const text = row.at(-1) ?? '';
    if (!isTTY || !text.includes(' ') || textColumn + text.length <= columns)
      return `${start}${padded.at(-1) ?? ''}`.trimEnd();
    if (columns - textColumn < NARROWEST_TEXT) return `${start.trimEnd()}\n${wrapped(text, `${indent}    `, terminal)}`;
    return `${start}${wrapped(text, ' '.repeat(textColumn), terminal, '').slice(textColumn)}`;
  });
  return lines.map((line) => `${line}\n`).join('');
}
