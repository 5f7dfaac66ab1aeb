/** A release of one framework, built and signed on this machine with its own key, and not published. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { ensureBinaries, runCommand, silentProgress } from '@muster/cluster';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const WORKSPACE = fileURLToPath(new URL('../../..', import.meta.url));
const KEY = 'release@muster.test';
const PASSPHRASE = 'open sesame';

let home: string;
let env: NodeJS.ProcessEnv;
let printed: string;
let folder: string;

beforeAll(async () => {
  // It contains the socket of GnuPG's agent, whose path must be short.
  home = await mkdtemp(join(tmpdir(), 'gpg-'));
  env = { ...process.env, GNUPGHOME: home };
  const passphraseFile = join(home, 'passphrase');
  await writeFile(passphraseFile, PASSPHRASE, { mode: 0o600 });
  await gpg('--pinentry-mode', 'loopback', '--passphrase-file', passphraseFile, '--quick-generate-key', KEY, 'rsa3072');
  const flags = ['--registry', 'registry.example/muster', '--dry-run', '--sign-key', KEY];
  const args = ['tools/release/src/main.ts', ...flags, '--passphrase-file', passphraseFile, 'mxnet'];
  printed = (await runCommand(process.execPath, args, { cwd: WORKSPACE, env })).stdout;
  const { version } = JSON.parse(await readFile(join(WORKSPACE, 'package.json'), 'utf8')) as { version: string };
  folder = join(WORKSPACE, 'dist/release', version);
});

afterAll(async () => {
  await runCommand('gpgconf', ['--kill', 'all'], { env });
  await rm(home, { recursive: true, force: true });
});

function gpg(...args: string[]) {
  return runCommand('gpg', ['--batch', '--yes', ...args], { env });
}

describe('a release with --dry-run', () => {
  it('prints the commands that would push it', () => {
    const pushed = printed.slice(printed.indexOf('nothing is pushed (--dry-run)'));
    expect(pushed).toMatch(/buildah manifest create registry\.example\/muster\/mxnet-operator:[\d.]+\n/);
    expect(pushed).toMatch(/helm push \S+\/charts\/mxnet-[\d.]+\.tgz oci:\/\/registry\.example\/muster\/charts\n/);
    expect(printed).toMatch(/no images for linux\/(arm64|amd64): name a base for it with --base/);
  });

  it('has the checksum of every file, and a signature of them', async () => {
    const { stdout } = await runCommand('sha256sum', ['--check', 'SHA256SUMS'], { cwd: folder });
    expect(stdout.trim().split('\n')).toHaveLength(5);
    expect(stdout).toMatch(/^muster-[\d.]+\.tgz: OK$/m);
    await gpg('--verify', join(folder, 'SHA256SUMS.asc'), join(folder, 'SHA256SUMS'));
  });

  it('has charts whose signature Helm verifies', async () => {
    const [helm = ''] = await ensureBinaries(['helm'], silentProgress);
    const keyring = join(home, 'public.gpg');
    await gpg('--output', keyring, '--export', KEY);
    for (const [line] of printed.matchAll(/\S+\/charts\/\S+\.tgz$/gm)) {
      await runCommand(helm, ['verify', line, '--keyring', keyring], { cwd: WORKSPACE });
    }
  });

  it("lists the contents of an operator's image", async () => {
    const [path = ''] = /\S+\/contents\/mxnet-operator\S+/.exec(printed) ?? [];
    const bill = JSON.parse(await readFile(join(WORKSPACE, path), 'utf8')) as { components: { name: string }[] };
    const names = bill.components.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['@nestjs/core', 'zod', 'node']));
    expect(names).not.toContain('vitest');
  });
});
