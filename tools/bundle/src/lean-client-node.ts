/**
 * Keeps out of a bundle what `@kubernetes/client-node` loads without need where only its `KubeConfig` is wanted: the
 * models of the whole Kubernetes API, and all of undici but its agents. Two of its imports lead through a narrower door.
 * Nothing that is called is missing; a build fails if a later version asks a door for another name.
 */
import type { Plugin } from 'esbuild';

const DOORS = [
  {
    import: /^\.\/gen\/index\.js$/,
    importer: /\/@kubernetes\/client-node\/dist\/config\.js$/,
    contents: `
      export { createConfiguration } from './gen/configuration.js';
      export { ServerConfiguration } from './gen/servers.js';
    `,
  },
  {
    import: /^undici$/,
    importer: /\/@kubernetes\/client-node\/dist\/.*\.js$/,
    contents: `
      export { default as Agent } from 'undici/lib/dispatcher/agent.js';
      export { default as ProxyAgent } from 'undici/lib/dispatcher/proxy-agent.js';
      export const fetch = (...args) => require('undici').fetch(...args);
    `,
  },
];

export function leanClientNode(): Plugin {
  return {
    name: 'lean-client-node',
    setup(build) {
      for (const door of DOORS) {
        build.onResolve({ filter: door.import }, ({ path, importer, resolveDir }) =>
          door.importer.test(importer)
            ? { path, namespace: 'door', pluginData: { contents: door.contents, resolveDir } }
            : undefined,
        );
      }
      build.onLoad({ filter: /.*/, namespace: 'door' }, ({ pluginData }) => pluginData as Door);
    },
  };
}

interface Door {
  contents: string;
  resolveDir: string;
}
