import { resolve } from 'node:path';
import type { Metafile } from 'esbuild';

/** The folder of the innermost package that a path lies in, without the namespace of a plugin. */
const PACKAGE_FOLDER = /^(?:[\w-]+:)?(.*\bnode_modules\/(?:@[^/]+\/)?[^/]+)/;

/** The folders of the bundled npm packages, without those of this workspace. */
export function packageFolders({ inputs }: Metafile, workspace: string): string[] {
  const folders = Object.keys(inputs).flatMap((input) => PACKAGE_FOLDER.exec(input)?.[1] ?? []);
  return [...new Set(folders.map((each) => resolve(workspace, each)))];
}
