import { lstat, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { WHITEOUT_PREFIX } from './pack-layer.ts';

/**
 * Turns overlayfs's notes of deletions in an upper directory into those of image layers.
 *
 * `deleted` names all paths that the lower tree has and the merged tree lacks. Only where the containing folder is
 * still a folder does a deletion need saying; a path below a deleted or replaced folder is gone with it. overlayfs's
 * own marks (devices, and an attribute on folders recreated) are not relied on: the list covers both.
 */
export async function writeWhiteouts(upper: string, deleted: readonly string[]): Promise<void> {
  for (const path of deleted) {
    const folder = join(upper, dirname(path));
    const stats = await lstat(folder).catch(() => undefined);
    if (stats?.isDirectory() !== true) continue;
    await rm(join(upper, path), { force: true });
    await writeFile(join(folder, `${WHITEOUT_PREFIX}${basename(path)}`), '');
  }
}
