/**
 * Folders of this machine over which a real node mounts empty ones, because containerd, kubelet and CNI write there regardless of their
 * configuration. A folder must exist for that: missing ones are created, with a marker inside, and removed by the last real node.
 */
import { existsSync, mkdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isErrorCode } from '../processes/process-identity.ts';

export const PRIVATE_FOLDERS = ['/run', '/var/log', '/var/lib/cni', '/var/lib/kubelet'];

const MARK = '.made-for-muster';

export function makePrivateFolders(folders: readonly string[] = PRIVATE_FOLDERS): void {
  for (const folder of folders) {
    if (existsSync(folder)) continue;
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, MARK), '');
  }
}

/** Call only when no real node is left: removing a folder removes the mounts over it everywhere. */
export function removePrivateFolders(folders: readonly string[] = PRIVATE_FOLDERS): void {
  for (const folder of folders) {
    if (!existsSync(join(folder, MARK))) continue;
    rmSync(join(folder, MARK));
    try {
      rmdirSync(folder);
    } catch (error) {
      // Another program uses it now.
      if (!isErrorCode(error, 'ENOTEMPTY')) throw error;
    }
  }
}
