/** Whether and how a checkout of another commit can use the packages that are installed for this one. */
import { join } from 'node:path';

export interface LockFile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

interface LockedPackage {
  /** Of a link: the folder in the repository. */
  readonly resolved?: string;
  readonly link?: boolean;
  readonly integrity?: string;
}

const INSTALLED = 'node_modules/';

/** Whether each package of the registry that `wanted` locks is locked by `present` at the same place and with the same content. */
export function canShare(present: LockFile, wanted: LockFile): boolean {
  return Object.entries(wanted.packages).every(([path, { link, integrity }]) => {
    if (!path.includes(INSTALLED) || link === true) return true;
    return integrity !== undefined && present.packages[path]?.integrity === integrity;
  });
}

/**
 * The symbolic links that make up `node_modules` of the other checkout, as path and target: its own workspaces, and packages of the registry
 * from this checkout.
 */
export function packageLinks(
  { packages }: LockFile,
  { source, present }: { readonly source: string; readonly present: string },
): [path: string, target: string][] {
  return Object.entries(packages).flatMap(([path, { link, resolved = '' }]): [string, string][] => {
    if (link === true) return [[join(source, path), join(source, resolved)]];
    // A nested package comes with the one that contains it.
    return path.lastIndexOf(INSTALLED) === 0 ? [[join(source, path), join(present, path)]] : [];
  });
}
