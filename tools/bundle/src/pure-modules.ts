/**
 * Tells the bundler what packages do not say of themselves: that their modules do nothing but export, so one of which nothing is used may be
 * left out. And it takes rxjs in the form of ES modules, of which Nest uses a tenth, where Node would take CommonJS, which comes as a whole.
 */
import { dirname } from 'node:path';
import type { Plugin } from 'esbuild';

/** `reflect-metadata` is not among these: it is there for what it does. */
const PURE = /(\/node_modules\/@nestjs\/(common|core|terminus)\/.*\.js|\/(libs|tools)\/.*\.ts)$/;
const RXJS = /^rxjs(\/operators)?$/;

export function pureModules(): Plugin {
  return {
    name: 'pure-modules',
    setup(build) {
      build.onResolve({ filter: RXJS }, async ({ path, resolveDir }) => {
        const manifest = await build.resolve('rxjs/package.json', { kind: 'require-call', resolveDir });
        const entry = path === 'rxjs' ? 'dist/esm/index.js' : 'dist/esm/operators/index.js';
        return { path: `${dirname(manifest.path)}/${entry}`, sideEffects: false };
      });
      build.onResolve({ filter: /^@muster\// }, async ({ path, importer, kind, resolveDir, pluginData }) => {
        if (pluginData === pureModules) return undefined;
        const found = await build.resolve(path, { kind, importer, resolveDir, pluginData: pureModules });
        return { ...found, sideEffects: false };
      });
      build.onResolve({ filter: /^\./ }, async ({ path, importer, kind, resolveDir, pluginData }) => {
        if (pluginData === pureModules || !PURE.test(importer)) return undefined;
        const found = await build.resolve(path, { kind, importer, resolveDir, pluginData: pureModules });
        return { ...found, sideEffects: false };
      });
    },
  };
}
