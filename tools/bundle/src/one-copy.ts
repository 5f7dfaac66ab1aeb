/**
 * npm nests a package under each of its users when another version of it lies at the top; a bundler then takes in the
 * same code once per user. This plugin makes all imports of one version of a package mean the same files. It is safe
 * because the copies are equal, and what a package needs is found from wherever its copy lies.
 */
import { readFile } from 'node:fs/promises';
import type { OnResolveArgs, Plugin, PluginBuild } from 'esbuild';

/** The folder of the innermost package that a path lies in. */
const PACKAGE_FOLDER = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/;
/** A package's name, not a relative path and not `node:…`. */
const BARE_IMPORT = /^[^./:]+(\/|$)/;

export function oneCopy(): Plugin {
  return {
    name: 'one-copy',
    setup(build) {
      const folders = new Map<string, string>();
      build.onResolve({ filter: BARE_IMPORT }, async (args) => {
        // Packages of this workspace are there once.
        if (args.pluginData === oneCopy || args.path.startsWith('@muster/')) return undefined;
        const found = await resolveWithout(build, args);
        const folder = PACKAGE_FOLDER.exec(found.path)?.[0];
        if (found.external || folder === undefined) return found;
        const identity = await identityOf(folder);
        const first = folders.get(identity) ?? folder;
        folders.set(identity, first);
        return { ...found, path: first + found.path.slice(folder.length) };
      });
    },
  };
}

/** What the import means without this plugin. */
function resolveWithout(build: PluginBuild, { path, kind, importer, namespace, resolveDir }: OnResolveArgs) {
  return build.resolve(path, { kind, importer, namespace, resolveDir, pluginData: oneCopy });
}

async function identityOf(folder: string): Promise<string> {
  const { name, version } = JSON.parse(await readFile(`${folder}/package.json`, 'utf8')) as Record<string, string>;
  return `${name}@${version}`;
}
