import { globSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../fixtures');

/** The archive of the framework's chart as it was before: the newest that is kept. */
export function keptChart(framework: string): string {
  const newest = globSync(`${framework}-[0-9]*.tgz`, { cwd: FOLDER }).sort(byVersion).at(-1);
  if (newest === undefined) throw new Error(`no chart of ${framework} is kept in tools/install/fixtures`);
  return join(FOLDER, newest);
}

function byVersion(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}
