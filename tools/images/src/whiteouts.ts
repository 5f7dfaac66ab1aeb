import { lstat, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { WHITEOUT_PREFIX } from './pack-layer.ts';

/**
 * Converts overlayfs' markers of deletions in an upper directory into those of image layers.
 *
 * `deleted` contains all paths that the lower tree has and the merged tree lacks. A deletion needs a marker only if the containing folder
 * is still a folder: a path below a deleted or replaced folder is gone with it. overlayfs' own markers (devices, and an attribute on
 * recreated folders) are not used: the list covers both.
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
