/**
 * `npm run release -- --registry REGISTRY`: builds a release in dist/release, and pushes it. With --dry-run it prints the commands instead
 * of pushing.
 */
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { frameworks } from '@muster/bundle';
import { ensureBinaries, runCommand, terminalProgress } from '@muster/cluster';
import { checkedRegistry, sizeText } from '@muster/images';

import { makeArtifacts, type Artifacts } from './make-artifacts.ts';
import { pushCommands, type Command } from './push-commands.ts';
import type { SigningKey } from './signature.ts';

const WORKSPACE = fileURLToPath(new URL('../../..', import.meta.url));

const USAGE = `usage: npm run release -- --registry REGISTRY [--dry-run] [--base IMAGE] [--sign-key KEY [--passphrase-file FILE]] [FRAMEWORK…]
  --registry         where to push images and charts, such as registry.example.com/muster
  --base             an image with Node.js 24 for linux/amd64 and linux/arm64; default: images for this machine's processor only
  --sign-key         a GnuPG key that signs checksums and charts
  --dry-run          pushes nothing, and prints the commands that would push`;

const progress = terminalProgress();

async function main(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    options: {
      registry: { type: 'string' },
      base: { type: 'string' },
      'sign-key': { type: 'string' },
      'passphrase-file': { type: 'string' },
      'dry-run': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
    allowPositionals: true,
  });
  if (values.help === true) return console.log(USAGE);
  if (values.registry === undefined) throw new Error(USAGE);
  const registry = checkedRegistry(values.registry);
  const { version } = JSON.parse(await readFile(join(WORKSPACE, 'package.json'), 'utf8')) as { version: string };
  if (!values['dry-run']) await refuseChangedTree();
  const key = signingKey(values['sign-key'], values['passphrase-file']);
  const artifacts = await makeArtifacts({
    workspace: WORKSPACE,
    version,
    registry,
    frameworks: positionals.length > 0 ? positionals : await frameworks(),
    folder: join(WORKSPACE, 'dist/release', version),
    progress,
    ...(values.base !== undefined && { base: values.base }),
    ...(key && { key }),
  });
  console.log(summaryOf(artifacts));
  const commands = pushCommands(artifacts, registry);
  if (values['dry-run']) {
    console.log(
      ['nothing is pushed (--dry-run). Without --dry-run these commands run:', ...commands.map(asText)].join('\n  '),
    );
  } else if (artifacts.missing.length > 0) {
    throw new Error(
      `a release also needs images for ${artifacts.missing.join(', ')}: name a base for them with --base`,
    );
  } else {
    for (const command of commands) await progress.step(asText(command), () => run(command));
  }
}

function signingKey(id: string | undefined, passphraseFile: string | undefined): SigningKey | undefined {
  if (id === undefined) return undefined;
  return { id, ...(passphraseFile !== undefined && { passphraseFile }) };
}

/** A published release must match a commit. */
async function refuseChangedTree(): Promise<void> {
  const { stdout } = await runCommand('git', ['status', '--porcelain'], { cwd: WORKSPACE });
  if (stdout !== '')
    throw new Error('a release needs a clean working tree: commit or remove these changes first\n' + stdout);
}

async function run([program, ...args]: Command): Promise<void> {
  const [helm = ''] = await ensureBinaries(['helm'], progress);
  await runCommand(program === 'helm' ? helm : program, args);
}

function summaryOf({ images, charts, others, missing }: Artifacts): string {
  const shown = (file: string) => relative(process.cwd(), file);
  return [
    ...images.map(({ file, platform, bytes }) => `${shown(file)}: ${platform}, ${sizeText(bytes)}`),
    ...[...charts, ...others].map(shown),
    ...missing.map((platform) => `no images for ${platform}: name a base for it with --base`),
  ].join('\n');
}

function asText(command: Command): string {
  return command.map((part) => part.replace(`${WORKSPACE}`, '')).join(' ');
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  progress.note(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
