/**
 * A CommonJS package that is imported late, by `import('name')`, has no named exports in a bundle that is split: esbuild makes a file of it
 * that exports the package as a whole. This plugin puts a module in between that exports by name what the package exports here and now.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Plugin } from 'esbuild';

const PACKAGE_FOLDER = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/;
const BARE_IMPORT = /^[^./:]+(\/|$)/;
const NAMESPACE = 'late-common-js';

export function lateCommonJs(): Plugin {
  return {
    name: NAMESPACE,
    setup(build) {
      build.onResolve({ filter: BARE_IMPORT }, async ({ path, kind, resolveDir }) => {
        if (kind !== 'dynamic-import' || path.startsWith('@muster/')) return undefined;
        const file = createRequire(`${resolveDir}/`).resolve(path);
        return (await isCommonJs(file)) ? { path: file, namespace: NAMESPACE, pluginData: { resolveDir } } : undefined;
      });
      build.onLoad({ filter: /.*/, namespace: NAMESPACE }, ({ path, pluginData }) => {
        const exported = createRequire(import.meta.url)(path) as object;
        const names = Object.keys(exported).filter((name) => /^[a-zA-Z_$][\w$]*$/.test(name) && name !== 'default');
        const contents = `export { ${names.join(', ')} } from ${JSON.stringify(path)};\n`;
        return { contents, resolveDir: (pluginData as { resolveDir: string }).resolveDir };
      });
    },
  };
}

async function isCommonJs(file: string): Promise<boolean> {
  const folder = PACKAGE_FOLDER.exec(file)?.[0];
  if (folder === undefined || file.endsWith('.mjs')) return false;
  const { type } = JSON.parse(await readFile(`${folder}/package.json`, 'utf8')) as { type?: string };
  return type !== 'module';
}
