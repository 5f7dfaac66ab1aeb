/**
 * Keeps out of a bundle what packages load without need where an operator uses a part of them. Each line stands for a file of a package, or
 * for what a file imports, and puts something smaller in its place: nothing that is called is missing, and what is missing says so when it is
 * called. A line that fits nothing fails the build, so a new version of a package has it looked at.
 */
import { basename } from 'node:path';
import type { OnLoadResult, OnResolveArgs, Plugin } from 'esbuild';

interface Part {
  /** The path that is imported, or of the file when it stands alone. */
  readonly import: RegExp;
  /** Who imports it. */
  readonly importer: RegExp;
  readonly contents: string;
}

const CLIENT_NODE = /\/@kubernetes\/client-node\/dist\/[^/]+\.js$/;
const UNDICI = /\/undici\/lib\/(core|dispatcher)\/[^/]+\.js$/;
const PROM_CLIENT = /\/prom-client\/(index|lib\/[^/]+|lib\/metrics\/[^/]+)\.js$/;

const PARTS: readonly Part[] = [
  // Only its `KubeConfig` is wanted, for credentials: not its client, with the models of the whole Kubernetes API and undici's fetch,
  {
    import: /^\.\/gen\/index\.js$/,
    importer: CLIENT_NODE,
    contents: missing('createConfiguration', 'ServerConfiguration'),
  },
  { import: /^undici$/, importer: CLIENT_NODE, contents: missing('Agent', 'ProxyAgent') },
  // nor proxies, which `libs/kube` goes through by itself, nor the logins that `libs/kube` refuses.
  { import: /^socks$/, importer: CLIENT_NODE, contents: missing('SocksClient') },
  { import: /^socks-proxy-agent$/, importer: CLIENT_NODE, contents: missing('SocksProxyAgent') },
  { import: /^hpagent$/, importer: CLIENT_NODE, contents: missing('HttpProxyAgent', 'HttpsProxyAgent') },
  { import: /^\.\/azure_auth\.js$/, importer: CLIENT_NODE, contents: noLogin('AzureAuth') },
  { import: /^\.\/gcp_auth\.js$/, importer: CLIENT_NODE, contents: noLogin('GoogleCloudPlatformAuth') },
  // Requests go over HTTP/1.1, parsed by llhttp, with bodies that are text.
  { import: /\/client-h2\.js$/, importer: UNDICI, contents: `module.exports = ${thrower('HTTP/2')}` },
  { import: /\/milo\/.*\.js$/, importer: UNDICI, contents: `throw new Error(${JSON.stringify(saying('milo'))})` },
  { import: /\/web\//, importer: UNDICI, contents: `throw new Error(${JSON.stringify(saying('undici/lib/web'))})` },
  // One process with one registry, which is asked; no tracing.
  { import: /^\.\/lib\/cluster$/, importer: PROM_CLIENT, contents: `module.exports = ${thrower('cluster')}` },
  { import: /^\.\/lib\/pushgateway$/, importer: PROM_CLIENT, contents: `module.exports = ${thrower('Pushgateway')}` },
  { import: /^\.\/lib\/summary$/, importer: PROM_CLIENT, contents: `module.exports = ${thrower('Summary')}` },
  {
    import: /^@opentelemetry\/api$/,
    importer: PROM_CLIENT,
    contents: 'exports.context = { active() {} }; exports.trace = { getSpan() {} };',
  },
];

export function unusedParts(): Plugin {
  return {
    name: 'unused-parts',
    setup(build) {
      const found = new Set<Part>();
      for (const part of PARTS) {
        build.onResolve({ filter: part.import }, ({ path, importer, resolveDir }: OnResolveArgs) => {
          if (!part.importer.test(importer)) return undefined;
          found.add(part);
          return {
            path: `${path} of ${basename(importer)}`,
            namespace: 'unused',
            pluginData: { contents: part.contents, resolveDir },
          };
        });
      }
      build.onLoad({ filter: /.*/, namespace: 'unused' }, ({ pluginData }) => pluginData as OnLoadResult);
      build.onEnd(() => ({
        errors: PARTS.filter((part) => !found.has(part)).map((part) => ({
          text: `nothing imports ${part.import} from ${part.importer} any more: look whether another part takes its place`,
        })),
      }));
    },
  };
}

/** Exports that throw when they are called or made. */
function missing(...names: string[]): string {
  return names.map((name) => `export const ${name} = ${thrower(name)};`).join('\n');
}

/** A way to log in that no user has. */
function noLogin(name: string): string {
  return `export class ${name} { isAuthProvider() { return false; } }`;
}

function thrower(name: string): string {
  return `function () { throw new Error(${JSON.stringify(saying(name))}); }`;
}

function saying(name: string): string {
  return `${name} is left out of the bundle (tools/bundle/src/unused-parts.ts)`;
}
