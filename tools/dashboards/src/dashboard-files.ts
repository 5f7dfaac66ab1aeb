/** Reads the dashboards of the charts. */
import { readFile } from 'node:fs/promises';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import type { Dashboard } from '../model/dashboard.ts';

const CHARTS = join(import.meta.dirname, '../../../charts');

/** Sorted by title, without duplicates. */
export async function dashboardFiles(folder = CHARTS): Promise<Dashboard[]> {
  const files = globSync('*/files/dashboards/*.json', { cwd: folder }).sort();
  const all = await Promise.all(
    files.map(async (file) => JSON.parse(await readFile(join(folder, file), 'utf8')) as Dashboard),
  );
  const byUid = new Map(all.map((dashboard) => [dashboard.uid, dashboard]));
  return [...byUid.values()].sort((one, other) => (one.title < other.title ? -1 : 1));
}
