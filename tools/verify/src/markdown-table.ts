/** Reads and writes the one table of a Markdown page, and keeps the text around it. */
import { writeFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';

/** The cells of each row below the header. */
export function rowsOf(page: string): string[][] {
  return page
    .split('\n')
    .filter(isRow)
    .slice(2)
    .map((line) =>
      line
        .trim()
        .replace(/^\||\|$/g, '')
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim().replaceAll('\\|', '|')),
    );
}

/** Returns the page with these rows below the header of its table. Throws if the page has no table. */
export function withRows(page: string, rows: readonly (readonly string[])[]): string {
  const lines = page.split('\n');
  const start = lines.findIndex(isRow);
  if (start === -1) throw new Error('the page has no table');
  const length = lines.slice(start).findIndex((line) => !isRow(line));
  const end = length === -1 ? lines.length : start + length;
  const written = rows.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`);
  return [...lines.slice(0, start + 2), ...written, ...lines.slice(end)].join('\n');
}

/** Writes the page with these rows, formatted as `npm test -- format` expects it. */
export async function writePage(file: string, page: string, rows: readonly (readonly string[])[]): Promise<void> {
  await writeFile(file, await format(withRows(page, rows), { ...(await resolveConfig(file)), filepath: file }));
}

function isRow(line: string): boolean {
  return line.startsWith('|');
}
