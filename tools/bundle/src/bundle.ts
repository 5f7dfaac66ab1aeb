/**
 * One operator as one JavaScript file and the line that starts it, with all it needs but Node: what an image holds. A
 * bundle starts in a third of the time and 50 MB of memory less than the same operator from node_modules, where most of
 * what is loaded is never called.
 *
 * esbuild compiles decorators, but keeps no types for the time when the operator runs: injection must always name its token.
 */
import { copyFile, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Metafile } from 'esbuild';
import { build, stop } from 'esbuild';
import { packageFolders } from './package-folders.ts';
import { thirdPartyLicenses } from './third-party-licenses.ts';

export { packCli, type CliPackage } from './cli-package.ts';

const WORKSPACE = fileURLToPath(new URL('../../..', import.meta.url));

/** Loaded by Nest and Terminus only if present, each inside a try: none is a dependency of ours. */
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

/** Node would load rxjs as CommonJS, of which a bundler keeps everything. Nest uses a tenth of it. */
const RXJS_MODULES = {
  rxjs: join(WORKSPACE, 'node_modules/rxjs/dist/esm/index.js'),
  'rxjs/operators': join(WORKSPACE, 'node_modules/rxjs/dist/esm/operators/index.js'),
};

/** CommonJS has no `import.meta`; Nest asks for it to look for the packages above. */
const BANNER = `const bundleUrl = require('node:url').pathToFileURL(__filename).href;`;

/**
 * What is run: it has Node keep the compiled form of the operator (in its folder for temporary files, or in
 * `NODE_COMPILE_CACHE`), which makes every start but the first a third quicker. Node reads that form only for files that
 * are loaded after this is said, hence two files. Where nothing can be written it does without.
 */
const START = `require('node:module').enableCompileCache();\nvoid require('./operator.cjs').main(process.argv.slice(2));\n`;

/**
 * What Node is told when it runs a bundled operator. A burst of jobs makes much that is soon forgotten, and V8 would rather
 * grow than look for it: a young generation of tens of megabytes, which is never given back, and an old one of three times what is
 * alive. Measured with 1,000 and with 5,000 pods, these halve the peak of memory and cost no more than a few per cent of CPU. With 2 MB in place of 4 for half of the young
 * generation an idle operator holds 3.5 MB less, and a burst takes no more CPU. The parser of
 * undici is the only WebAssembly: V8's better compiler takes 15 MB to compile it, and what that gains cannot be measured. Each thread of V8's
 * own keeps memory to itself, and one does as well as four.
 */
export const NODE_FLAGS: readonly string[] = [
  '--max-semi-space-size=2',
  '--heap-growing-percent=50',
  '--liftoff-only',
  '--v8-pool-size=1',
];

export interface Bundle {
  /** Run it with Node 24 and {@link NODE_FLAGS}, and nothing beside its folder. */
  readonly file: string;
  readonly bytes: number;
  /** What went in, for those who look for what should not have. */
  readonly metafile: Metafile;
  /** The folders of the npm packages that went in, but for those of this workspace. */
  readonly packages: readonly string[];
}

/** The names of the operators in this workspace. */
export async function frameworks(): Promise<string[]> {
  const apps = await readdir(join(WORKSPACE, 'apps'));
  const found = await Promise.all(apps.map(async (app) => ((await exists(appModule(app))) ? [app] : [])));
  return found.flat().sort();
}

/**
 * Writes `dist/<framework>`: main.cjs, operator.cjs, a source map, a package.json, our license and those of what went in.
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

/** What a bundled operator exports. */
export interface Operator {
  main(argv: readonly string[]): Promise<void>;
}

/**
 * The operator in this process, as it ships, of the source of this moment. Nothing of it stays on disk, and no compiler in
 * memory.
 */
export async function loadOperator(framework: string): Promise<Operator> {
  const folder = await mkdtemp(join(tmpdir(), `muster-${framework}-`));
  try {
    const { operator } = await bundleInto(folder, framework);
    await stop();
    // Reads the map while the file is there, so that stack traces name the source.
    process.setSourceMapsEnabled(true);
    return createRequire(import.meta.url)(operator) as Operator;
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function bundleInto(folder: string, framework: string): Promise<{ operator: string; metafile: Metafile }> {
  const known = await frameworks();
  if (!known.includes(framework)) throw new Error(`unknown framework "${framework}"; known are: ${known.join(', ')}`);
  const operator = join(folder, 'operator.cjs');
  await mkdir(folder, { recursive: true });
  const { metafile } = await build({
    absWorkingDir: WORKSPACE,
    // Not the app's `main.ts`: that awaits at the top, which CommonJS cannot.
    entryPoints: [join(WORKSPACE, 'apps', framework, 'src/index.ts')],
    outfile: operator,
    bundle: true,
    platform: 'node',
    // An ES module that imports a built-in one makes Node load all that hangs on it (fetch with `node:http`): 5 MB more.
    format: 'cjs',
    define: { 'import.meta.url': 'bundleUrl' },
    alias: RXJS_MODULES,
    target: 'node24',
    tsconfig: 'tsconfig.base.json',
    external: ABSENT,
    banner: { js: BANNER },
    // Names stay, because Nest and stack traces show them.
    minifyWhitespace: true,
    minifySyntax: true,
    // Node prints the line of an uncaught error: it must not be the whole program.
    lineLimit: 160,
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'none',
    metafile: true,
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
