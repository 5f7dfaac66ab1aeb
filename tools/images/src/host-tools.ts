/** The programs of this machine that building images needs; missing ones are installed with apt where possible. */
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

import { runCommand, type Progress } from '@muster/cluster';

/** Programs and the Debian packages that hold them. */
const PACKAGES = {
  buildah: 'buildah',
  ctr: 'containerd',
  debootstrap: 'debootstrap',
  flock: 'util-linux',
  gpgv: 'gpgv',
  mount: 'mount',
  setpriv: 'util-linux',
  tar: 'tar',
  unshare: 'util-linux',
} as const;

export type HostTool = keyof typeof PACKAGES;

/**
 * Returns once all `tools` are on PATH. Missing ones are installed with apt-get (no prompts, no recommended packages). If that is not
 * possible, the error says what to install.
 */
export async function ensureHostTools(tools: readonly HostTool[], progress: Progress): Promise<void> {
  const missing: HostTool[] = [];
  for (const tool of tools) if (!(await isOnPath(tool))) missing.push(tool);
  if (missing.length === 0) return;
  const packages = [...new Set(missing.map((tool) => PACKAGES[tool]))];
  const advice = `install ${packages.join(' and ')} (for ${missing.join(', ')}) with this system's package manager`;
  if (process.getuid?.() !== 0 || !(await isOnPath('apt-get')))
    throw new Error(`building images needs tools that are missing: ${advice}`);
  await progress
    .step(`installing ${packages.join(', ')} with apt-get`, () => installWithApt(packages))
    .catch((cause: unknown) => {
      throw new Error(`apt-get could not install tools for building images: ${advice}`, { cause });
    });
}

const KEYRING_PACKAGE = 'debian-archive-keyring';
const KEYRINGS = ['gpg', 'pgp'].map((ending) => `/usr/share/keyrings/debian-archive-keyring.${ending}`);

/**
 * The file with Debian's archive signing keys. It is installed with apt where possible: without it debootstrap would not verify a mirror's
 * packages.
 */
export async function debianKeyring(progress: Progress, files: readonly string[] = KEYRINGS): Promise<string> {
  const present = () => firstReadable(files);
  const found = await present();
  if (found !== undefined) return found;
  const advice = `install ${KEYRING_PACKAGE} with this system's package manager: the signature of a Debian mirror is verified with ${files[0]}`;
  if (process.getuid?.() !== 0 || !(await isOnPath('apt-get')))
    throw new Error(`Debian's archive signing keys are missing: ${advice}`);
  await progress
    .step(`installing ${KEYRING_PACKAGE} with apt-get`, () => installWithApt([KEYRING_PACKAGE]))
    .catch((cause: unknown) => {
      throw new Error(`apt-get could not install Debian's archive signing keys: ${advice}`, { cause });
    });
  const installed = await present();
  if (installed === undefined) throw new Error(`the package ${KEYRING_PACKAGE} contains none of ${files.join(', ')}`);
  return installed;
}

async function firstReadable(files: readonly string[]): Promise<string | undefined> {
  for (const file of files) {
    const isReadable = await access(file, constants.R_OK).then(
      () => true,
      () => false,
    );
    if (isReadable) return file;
  }
  return undefined;
}

/** Installs without prompts, after other apt processes, and without starting services of the packages. */
async function installWithApt(packages: readonly string[]): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const wait = ['-o', 'DPkg::Lock::Timeout=300'];
  await runCommand('apt-get', [...wait, 'update'], { env });
  await runCommand('apt-get', [...wait, 'install', '--yes', '--no-install-recommends', ...packages], { env });
}

async function isOnPath(program: string): Promise<boolean> {
  // The PATH of a root shell without a login may lack the administrator's tools.
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin'];
  for (const folder of folders) {
    const found = await access(join(folder, program), constants.X_OK).then(
      () => true,
      () => false,
    );
    if (found) return true;
  }
  return false;
}
