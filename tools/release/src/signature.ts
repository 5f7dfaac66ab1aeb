import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { runCommand } from '@muster/cluster';

/** A key of the user's GnuPG. */
export interface SigningKey {
  /** In the form of `gpg --local-user`. */
  readonly id: string;
  /** A file with the key's passphrase, if it has one. */
  readonly passphraseFile?: string;
}

/** Writes `<file>.asc` beside the file, a signature that `gpg --verify` checks. */
export async function signFile(file: string, { id, passphraseFile }: SigningKey): Promise<string> {
  const output = `${file}.asc`;
  await gpg(passphraseFile, ['--local-user', id, '--armor', '--detach-sign', '--output', output, file]);
  return output;
}

/** Calls `use` with a temporary keyring in the format that Helm reads. */
export async function withHelmKeyring<T>(
  { id, passphraseFile }: SigningKey,
  use: (signing: readonly string[]) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-keyring-'));
  try {
    const keyring = join(folder, 'secring.gpg');
    await gpg(passphraseFile, ['--output', keyring, '--export-secret-keys', id]);
    const passphrase = passphraseFile === undefined ? [] : ['--passphrase-file', passphraseFile];
    return await use(['--sign', '--key', id, '--keyring', keyring, ...passphrase]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function gpg(passphraseFile: string | undefined, args: readonly string[]): Promise<void> {
  const unlocked =
    passphraseFile === undefined ? [] : ['--pinentry-mode', 'loopback', '--passphrase-file', passphraseFile];
  await runCommand('gpg', ['--batch', '--yes', ...unlocked, ...args]);
}
