/** The programs of this machine that building images needs; what is missing is installed where apt can do it. */
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
 * Returns once all `tools` are on PATH. Missing ones are installed with apt-get (no questions, no recommended
 * packages); where that cannot be done, the error says what to install.
 */
export async function ensureHostTools(tools: readonly HostTool[], progress: Progress): Promise<void> {
  const missing: HostTool[] = [];
  for (const tool of tools) if (!(await isOnPath(tool))) missing.push(tool);
  if (missing.length === 0) return;
  const packages = [...new Set(missing.map((tool) => PACKAGES[tool]))];
  const advice = `install ${packages.join(' and ')} (for ${missing.join(', ')}) with this system's package manager`;
  if (process.getuid?.() !== 0 || !(await isOnPath('apt-get')))
    throw new Error(`building images needs more tools: ${advice}`);
  await progress
    .step(`installing ${packages.join(', ')} with apt-get`, () => installWithApt(packages))
    .catch((cause: unknown) => {
      throw new Error(`apt-get could not install what building images needs: ${advice}`, { cause });
    });
}

const KEYRING_PACKAGE = 'debian-archive-keyring';
const KEYRINGS = ['gpg', 'pgp'].map((ending) => `/usr/share/keyrings/debian-archive-keyring.${ending}`);

/**
 * The file with the keys by which Debian signs its archive. It is installed where apt can do it: without it debootstrap would take any mirror's
 * packages unchecked.
 */
export async function debianKeyring(progress: Progress, files: readonly string[] = KEYRINGS): Promise<string> {
  const present = () => firstReadable(files);
  const found = await present();
  if (found !== undefined) return found;
  const advice = `install ${KEYRING_PACKAGE} with this system's package manager: ${files[0]} has the keys by which a mirror of Debian is checked`;
  if (process.getuid?.() !== 0 || !(await isOnPath('apt-get')))
    throw new Error(`no keys of Debian are found: ${advice}`);
  await progress
    .step(`installing ${KEYRING_PACKAGE} with apt-get`, () => installWithApt([KEYRING_PACKAGE]))
    .catch((cause: unknown) => {
      throw new Error(`apt-get could not install the keys of Debian: ${advice}`, { cause });
    });
  const installed = await present();
  if (installed === undefined) throw new Error(`${KEYRING_PACKAGE} has none of ${files.join(', ')}`);
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

/** Installs without asking, after other users of apt, and without starting the services that packages bring. */
async function installWithApt(packages: readonly string[]): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const wait = ['-o', 'DPkg::Lock::Timeout=300'];
  await runCommand('apt-get', [...wait, 'update'], { env });
  await runCommand('apt-get', [...wait, 'install', '--yes', '--no-install-recommends', ...packages], { env });
}

async function isOnPath(program: string): Promise<boolean> {
  // Tools of the administrator may be missing from the PATH of a shell that became root by other means than login.
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
