/**
 * Folders of this machine that a real node covers with empty ones of its own, because containerd, kubelet and CNI write
 * there whatever they are told. A folder must exist to be covered: those that do not are made, with a mark inside, and
 * removed again by the last real node that goes.
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

/** Call only when no real node is left: removing a folder uncovers it wherever it is covered. */
export function removePrivateFolders(folders: readonly string[] = PRIVATE_FOLDERS): void {
  for (const folder of folders) {
    if (!existsSync(join(folder, MARK))) continue;
    rmSync(join(folder, MARK));
    try {
      rmdirSync(folder);
    } catch (error) {
      // Somebody else has come to use it.
      if (!isErrorCode(error, 'ENOTEMPTY')) throw error;
    }
  }
}
