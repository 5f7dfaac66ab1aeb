import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Cluster } from './cluster.ts';

/** Adds programs of this machine to the PATH of a cluster, under these names. An existing program of the same name is replaced. */
export function linkPrograms({ binDir }: Pick<Cluster, 'binDir'>, programs: Readonly<Record<string, string>>): void {
  mkdirSync(binDir, { recursive: true });
  for (const [name, file] of Object.entries(programs)) {
    const link = join(binDir, name);
    rmSync(link, { force: true });
    symlinkSync(file, link);
  }
}
