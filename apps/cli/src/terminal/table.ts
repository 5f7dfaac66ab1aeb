/** Formats columns separated by two blanks, as kubectl does. A cell is one line. */
import { withoutControls } from './control-characters.ts';

/** @param shown formats a cell that has its final width */
export function table(
  rows: readonly (readonly string[])[],
  indent = '',
  shown: (padded: string, cell: string, column: number) => string = (padded) => padded,
): string {
  const cells = rows.map((row) => row.map((cell) => withoutControls(cell.trim().replaceAll(/\s*\n\s*/g, ' '))));
  const widths = cells.reduce<number[]>(
    (widest, row) => row.map((cell, column) => Math.max(widest[column] ?? 0, cell.length)),
    [],
  );
  const lines = cells.map((row) =>
    row
      .map((cell, column) => shown(cell.padEnd(widths[column] ?? 0), cell, column))
      .join('  ')
      .trimEnd(),
  );
  return lines.map((line) => `${indent}${line}\n`).join('');
}
