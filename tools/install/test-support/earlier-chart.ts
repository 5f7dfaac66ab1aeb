import { globSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../fixtures');

/** The archive of the framework's newest earlier chart. */
export function earlierChart(framework: string): string {
  const newest = globSync(`${framework}-[0-9]*.tgz`, { cwd: FOLDER }).sort(byVersion).at(-1);
  if (newest === undefined) throw new Error(`tools/install/fixtures has no chart of ${framework}`);
  return join(FOLDER, newest);
}

function byVersion(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}
