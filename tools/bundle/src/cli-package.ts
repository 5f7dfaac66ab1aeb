/**
 * The command line as a separate npm package: `muster` and `kubectl-muster` without a clone, and without dependencies. Each command stays a
 * file that is loaded when it runs. Commands that build or install parts of a clone are left out (`apps/cli/src/clone-commands.ts`).
 */
import { chmod, copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from '@muster/cluster';
import { build, type Metafile } from 'esbuild';
import { packageFolders } from './package-folders.ts';
import { thirdPartyLicenses } from './third-party-licenses.ts';

const WORKSPACE = fileURLToPath(new URL('../../..', import.meta.url));
const FOLDER = join(WORKSPACE, 'dist/cli');
const NODE_VERSION = 24;

/** In plain, old JavaScript: an older Node must be able to parse it to report that it is too old. */
const LAUNCHER = `#!/usr/bin/env node
import module from 'node:module';
if (Number.parseInt(process.versions.node, 10) < ${NODE_VERSION}) {
  console.error('muster needs Node.js ${NODE_VERSION} or newer; this is ' + process.version + '.');
  process.exit(1);
}
module.enableCompileCache?.();
const { main } = await import('../lib/main.js');
await main(process.argv.slice(2));
`;

/** Globals that CommonJS packages use and ES modules do not have. */
const BANNER = `import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);`;

const README = `# muster

Submits and manages training jobs on a Kubernetes cluster with Muster's operators: \`muster --help\`, also as \`kubectl muster\`.
It needs Node.js ${NODE_VERSION} or newer, and a kubeconfig.
`;

export interface CliPackage {
  /** The packed file, for `npm install --global`. */
  readonly file: string;
  readonly metafile: Metafile;
}

/** Writes `dist/cli`, and packs it into the folder. */
export async function packCli(destination = join(WORKSPACE, 'dist')): Promise<CliPackage> {
  await rm(FOLDER, { recursive: true, force: true });
  await Promise.all([mkdir(join(FOLDER, 'bin'), { recursive: true }), mkdir(destination, { recursive: true })]);
  const { metafile } = await build({
    absWorkingDir: WORKSPACE,
    entryPoints: [join(WORKSPACE, 'apps/cli/src/main.ts')],
    outdir: join(FOLDER, 'lib'),
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: `node${NODE_VERSION}`,
    tsconfig: 'tsconfig.base.json',
    define: { MUSTER_PACKAGED: 'true' },
    // ws loads these only if present, inside a try.
    external: ['bufferutil', 'utf-8-validate'],
    banner: { js: BANNER },
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 160,
    legalComments: 'none',
    metafile: true,
    logLevel: 'error',
  });
  const { version, license, description } = JSON.parse(
    await readFile(join(WORKSPACE, 'package.json'), 'utf8'),
  ) as Record<string, string>;
  const command = 'bin/muster.js';
  const manifest = {
    ...{ name: 'muster', version, description, license, type: 'module' },
    bin: { muster: command, 'kubectl-muster': command },
    engines: { node: `>=${NODE_VERSION}` },
    files: ['bin', 'lib', 'THIRD-PARTY-LICENSES'],
  };
  await writeFile(join(FOLDER, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  await writeFile(join(FOLDER, command), LAUNCHER);
  await chmod(join(FOLDER, command), 0o755);
  await writeFile(join(FOLDER, 'README.md'), README);
  await copyFile(join(WORKSPACE, 'LICENSE'), join(FOLDER, 'LICENSE'));
  const licenses = await thirdPartyLicenses(packageFolders(metafile, WORKSPACE));
  await writeFile(join(FOLDER, 'THIRD-PARTY-LICENSES'), licenses);
  const packed = await runCommand('npm', ['pack', FOLDER, '--silent', '--pack-destination', destination], {
    cwd: WORKSPACE,
  });
  return { file: join(destination, packed.stdout.trim()), metafile };
}
