import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Cluster } from './cluster.ts';

/** Puts programs of this machine on the PATH of a cluster, under these names. What had such a name there is replaced. */
export function linkPrograms({ binDir }: Pick<Cluster, 'binDir'>, programs: Readonly<Record<string, string>>): void {
  mkdirSync(binDir, { recursive: true });
  for (const [name, file] of Object.entries(programs)) {
    const link = join(binDir, name);
    rmSync(link, { force: true });
    symlinkSync(file, link);
  }
}
