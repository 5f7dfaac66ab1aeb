/**
 * One operator as one JavaScript file and a small start file, with all its dependencies except Node: the content of an image. A bundle
 * starts in a third of the time and uses 50 MB of memory less than the same operator from node_modules, where most of the loaded code is
 * never called.
 *
 * esbuild compiles decorators, but emits no type metadata: injection must always name its token.
 */
import { copyFile, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Metafile, Plugin } from 'esbuild';
import { build, stop } from 'esbuild';
import { packageFolders } from './package-folders.ts';
import { thirdPartyLicenses } from './third-party-licenses.ts';

export { packCli, type CliPackage } from './cli-package.ts';

const WORKSPACE = fileURLToPath(new URL('../../..', import.meta.url));

/** Nest and Terminus load these only if present, each inside a try: none is a dependency of Muster. */
const ABSENT = [
  '@grpc/*',
  '@mikro-orm/*',
  '@nestjs/axios',
  '@nestjs/microservices',
  '@nestjs/platform-express',
  '@nestjs/mongoose',
  '@nestjs/sequelize',
  '@nestjs/swagger',
  '@nestjs/typeorm',
  '@nestjs/websockets',
  '@prisma/client',
  'class-transformer',
  'class-validator',
  'mongoose',
  'sequelize',
  'typeorm',
];

/** Node would load rxjs as CommonJS, which a bundler cannot shrink. Nest uses a tenth of it. */
const RXJS_MODULES = {
  rxjs: join(WORKSPACE, 'node_modules/rxjs/dist/esm/index.js'),
  'rxjs/operators': join(WORKSPACE, 'node_modules/rxjs/dist/esm/operators/index.js'),
};

/** CommonJS has no `import.meta`; Nest uses it to look for the packages above. */
const BANNER = `const bundleUrl = require('node:url').pathToFileURL(__filename).href;`;

/**
 * The start file. It makes Node store the compiled operator (in its folder for temporary files, or in `NODE_COMPILE_CACHE`), which makes
 * every start but the first a third faster. Node reads that cache only for files that are loaded after this call, hence two files. Without
 * a writable folder there is no cache.
 */
const START = `require('node:module').enableCompileCache();\nvoid require('./operator.cjs').main(process.argv.slice(2));\n`;

/**
 * Node's flags for a bundled operator. A burst of jobs creates many short-lived objects, and V8 would grow its heap instead of collecting
 * them: a young generation of tens of megabytes, which is never returned, and an old one of three times the live size. Measured with 1,000
 * and with 5,000 pods, these flags halve the peak of memory and cost at most a few per cent of CPU. With 2 MB instead of 4 for half of the
 * young generation an idle operator uses 3.5 MB less, and a burst takes no more CPU. undici's parser is the only WebAssembly: V8's
 * optimizing compiler takes 15 MB to compile it, without a measurable gain. Each of V8's own threads reserves memory, and one is as fast as
 * four.
 */
export const NODE_FLAGS: readonly string[] = [
  '--max-semi-space-size=2',
  '--heap-growing-percent=50',
  '--liftoff-only',
  '--v8-pool-size=1',
];

export interface Bundle {
  /** Run it with Node 24 and {@link NODE_FLAGS}. It needs no files outside its folder. */
  readonly file: string;
  readonly bytes: number;
  /** The bundled files, for finding unwanted ones. */
  readonly metafile: Metafile;
  /** The folders of the bundled npm packages, without those of this workspace. */
  readonly packages: readonly string[];
}

/** The names of the operators in this workspace. */
export async function frameworks(): Promise<string[]> {
  const apps = await readdir(join(WORKSPACE, 'apps'));
  const found = await Promise.all(apps.map(async (app) => ((await exists(appModule(app))) ? [app] : [])));
  return found.flat().sort();
}

/**
 * Writes `dist/<framework>`: main.cjs, operator.cjs, a source map, a package.json, Muster's license and those of the bundled packages.
 * Throws if there is no such operator.
 */
export async function bundle(framework: string): Promise<Bundle> {
  const folder = join(WORKSPACE, 'dist', framework);
  const file = join(folder, 'main.cjs');
  const { operator, metafile } = await bundleInto(folder, framework);
  const { version } = JSON.parse(await readFile(join(WORKSPACE, 'package.json'), 'utf8')) as { version: string };
  const manifest = { name: `muster-${framework}`, version, private: true, main: 'main.cjs' };
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  await writeFile(file, START);
  await copyFile(join(WORKSPACE, 'LICENSE'), join(folder, 'LICENSE'));
  const packages = packageFolders(metafile, WORKSPACE);
  await writeFile(join(folder, 'THIRD-PARTY-LICENSES'), await thirdPartyLicenses(packages));
  return { file, bytes: (await stat(operator)).size, metafile, packages };
}

/** The exports of a bundled operator. */
export interface Operator {
  main(argv: readonly string[]): Promise<void>;
}

/** Loads the operator into this process, as shipped, from the current source. It leaves no files on disk and no compiler in memory. */
export async function loadOperator(framework: string): Promise<Operator> {
  const folder = await mkdtemp(join(tmpdir(), `muster-${framework}-`));
  try {
    const { operator } = await bundleInto(folder, framework);
    await stop();
    // Reads the map while the file exists, so that stack traces name the source.
    process.setSourceMapsEnabled(true);
    return createRequire(import.meta.url)(operator) as Operator;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** A change of one source file: `find` must occur in it exactly once. */
export interface SourceEdit {
  /** Relative to the workspace. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/**
 * Bundles an operator with a change that no file on disk has, for tests that must detect it. Returns the file to run. Throws if the text is
 * not in the file exactly once, or if the operator does not contain the file.
 */
export async function bundleWithEdit(folder: string, framework: string, edit: SourceEdit): Promise<string> {
  const path = join(WORKSPACE, edit.file);
  const source = await readFile(path, 'utf8');
  if (source.split(edit.find).length !== 2) throw new Error(`${edit.file} does not contain exactly once: ${edit.find}`);
  let isLoaded = false;
  const plugin: Plugin = {
    name: 'source-edit',
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, (loaded) => {
        if (loaded.path !== path) return undefined;
        isLoaded = true;
        return { contents: source.replace(edit.find, () => edit.replace), loader: 'ts' };
      });
    },
  };
  await bundleInto(folder, framework, [plugin]);
  if (!isLoaded) throw new Error(`the operator ${framework} does not contain ${edit.file}`);
  const file = join(folder, 'main.cjs');
  await writeFile(file, START);
  return file;
}

async function bundleInto(
  folder: string,
  framework: string,
  plugins: Plugin[] = [],
): Promise<{ operator: string; metafile: Metafile }> {
  const known = await frameworks();
  if (!known.includes(framework)) throw new Error(`unknown framework "${framework}": choose from ${known.join(', ')}`);
  const operator = join(folder, 'operator.cjs');
  await mkdir(folder, { recursive: true });
  const { metafile } = await build({
    absWorkingDir: WORKSPACE,
    // Not the app's `main.ts`: it has a top-level await, which CommonJS does not support.
    entryPoints: [join(WORKSPACE, 'apps', framework, 'src/index.ts')],
    outfile: operator,
    bundle: true,
    platform: 'node',
    // An ES module that imports a built-in one makes Node load everything that depends on it (fetch with `node:http`): 5 MB more.
    format: 'cjs',
    define: { 'import.meta.url': 'bundleUrl' },
    alias: RXJS_MODULES,
    target: 'node24',
    tsconfig: 'tsconfig.base.json',
    external: ABSENT,
    banner: { js: BANNER },
    // Keeps names, which Nest and stack traces show.
    minifyWhitespace: true,
    minifySyntax: true,
    // Node prints the line of an uncaught error, which must not be the whole program.
    lineLimit: 160,
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'none',
    metafile: true,
    plugins,
    logLevel: 'error',
  });
  return { operator, metafile };
}

function appModule(app: string): string {
  return join(WORKSPACE, 'apps', app, 'src/app.module.ts');
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
