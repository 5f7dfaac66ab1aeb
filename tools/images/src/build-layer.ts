/** Builds one layer from its definition. */
import { copyFile, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { debianMirror, updatedSources } from './debian-mirror.ts';
import { debianKeyring, ensureHostTools } from './host-tools.ts';
import type { DebianLayer, FilesLayer, LayerDefinition, PackagesLayer } from './image-definition.ts';
import type { LayerStore, StoredLayer } from './layer-store.ts';
import { packLayer, unpackLayer } from './pack-layer.ts';
import type { Progress } from '@muster/cluster';
import { runInSandbox } from './sandbox.ts';
import { aptFetchSettings, pipFetchSettings, resolverSettings } from './network-settings.ts';
import { writeWhiteouts } from './whiteouts.ts';

/** The inputs of a build. */
export interface LayerBuild {
  /** The Debian release of the lineage. */
  suite: string;
  /** Whether to install Debian's updates and security updates. */
  isUpdated: boolean;
  /** The parent's layers, the lowest first. */
  parents: readonly StoredLayer[];
  store: LayerStore;
  /** An empty folder on the store's file system. */
  workFolder: string;
  /** The log file of the programs that run. */
  log: string;
  progress: Progress;
}

/** Builds the layer into a blob in the work folder. Returns the blob's file, and its entry for manifests. */
export async function buildLayer(
  layer: LayerDefinition,
  build: LayerBuild,
): Promise<{ file: string; layer: StoredLayer }> {
  await ensureHostTools(['tar', 'setpriv'], build.progress);
  const content = await layerContent(layer, build);
  const file = join(build.workFolder, 'layer.tar.zst');
  return { file, layer: await packLayer(content, file, layer.kind === 'files' ? 'normalized' : 'kept') };
}

async function layerContent(layer: LayerDefinition, build: LayerBuild): Promise<string> {
  switch (layer.kind) {
    case 'debian':
      return debianContent(layer, build);
    case 'packages':
      return packagesContent(layer, build);
    case 'files':
      return filesContent(layer, build);
  }
}

async function debianContent(layer: DebianLayer, build: LayerBuild): Promise<string> {
  await ensureHostTools(['debootstrap', 'gpgv', 'unshare', 'mount'], build.progress);
  const root = join(build.workFolder, 'root');
  // The container runtime creates device nodes.
  const script = `
debootstrap --variant=minbase --force-check-gpg --keyring "$KEYRING" "$SUITE" "$ROOT" "$MIRROR"
if [ -n "$UPDATED_SOURCES" ]; then
  printf '%s\\n' "$UPDATED_SOURCES" > "$ROOT/etc/apt/sources.list"
  printf '%s\\n' "$APT_SETTINGS" > "$ROOT/tmp/apt.conf"
  APT_CONFIG=/tmp/apt.conf chroot "$ROOT" apt-get -o Acquire::Languages=none update
  APT_CONFIG=/tmp/apt.conf chroot "$ROOT" apt-get dist-upgrade --yes --no-install-recommends
fi
chroot "$ROOT" /bin/sh -eux -c "$SCRIPT"
rm -rf "$ROOT"/dev/* "$ROOT"/run/* "$ROOT"/tmp/*
`;
  const variables = {
    SUITE: layer.suite,
    ROOT: root,
    MIRROR: await debianMirror(),
    KEYRING: await debianKeyring(build.progress),
    UPDATED_SOURCES: build.isUpdated ? (await updatedSources(layer.suite)).join('\n') : '',
    APT_SETTINGS: await aptFetchSettings(),
    SCRIPT: layer.script,
  };
  await runInSandbox({ script, variables, log: build.log });
  return root;
}

/**
 * Mounts the parent under a writable layer, with the machine's devices and network settings. Paths that must not stay in the image are
 * mounted from the work folder. Afterwards lists the deleted files of the parent. Files that the installation leaves in /run are not kept,
 * but those that the script creates there are: containers have no other way to get them.
 */
const IN_OVERLAY = `
cd "$WORK"
chmod 1777 scratch/tmp
mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=overlay root || {
  echo "overlayfs cannot be used in $WORK: set MUSTER_CACHE to a folder on an ordinary local disk" >&2; exit 1; }
mount -t proc proc root/proc
mount --rbind /dev root/dev
mount --bind scratch/tmp root/tmp
mount --bind scratch/run root/run
mount --bind scratch/apt-lists root/var/lib/apt/lists
mount --bind scratch/apt-cache root/var/cache/apt
mount --bind resolv.conf root/etc/resolv.conf
mount --bind sources.list root/etc/apt/sources.list
export APT_CONFIG=/tmp/apt.conf
chroot root apt-get update
chroot root apt-get install --yes --no-install-recommends $PACKAGES
if [ -n "$REQUIREMENTS" ]; then
  printf '%s\\n' "$REQUIREMENTS" > scratch/run/requirements.txt
  mkdir -p root/etc/ssl/certs
  mount --bind scratch/certificates root/etc/ssl/certs
  chroot root /bin/sh -eux -c "$INSTALL_REQUIREMENTS"
  umount root/etc/ssl/certs
fi
umount root/run
chroot root /bin/sh -eux -c "$SCRIPT"
rm -f root/var/log/*.log root/var/log/apt/*
umount --recursive root/proc root/dev root/tmp root/var/lib/apt/lists root/var/cache/apt root/etc/resolv.conf root/etc/apt/sources.list
(cd lower && find . -mindepth 1 -printf '%P\\0' | LC_ALL=C sort -z) > before
(cd root && find . -mindepth 1 -printf '%P\\0' | LC_ALL=C sort -z) > after
LC_ALL=C comm -z -23 before after > deleted
`;

/**
 * Uses the pip that Debian packages for other programs, without installing it. It trusts the authorities in /etc/ssl/certs, so this
 * machine's are mounted there. Python packages of Debian stay; Python finds them second.
 */
const INSTALL_REQUIREMENTS = `
cd /tmp
apt-get download python3-pip-whl
dpkg-deb --extract python3-pip-whl_*.deb pip
PYTHONPATH=$(echo /tmp/pip/usr/share/python-wheels/pip-*.whl)
export PYTHONPATH
python3 -B -m pip install --requirement /run/requirements.txt --require-hashes --no-deps --ignore-installed \\
  --only-binary :all: $FROM_SOURCE --no-compile --no-cache-dir --break-system-packages --root-user-action ignore --progress-bar off
`;

async function packagesContent(layer: PackagesLayer, build: LayerBuild): Promise<string> {
  await ensureHostTools(['unshare', 'mount'], build.progress);
  const inWork = (...parts: string[]): string => join(build.workFolder, ...parts);
  for (const folder of [
    'lower',
    'upper',
    'overlay',
    'root',
    'scratch/tmp',
    'scratch/run',
    'scratch/apt-lists',
    'scratch/apt-cache',
    'scratch/certificates',
  ]) {
    await mkdir(inWork(folder), { recursive: true });
  }
  for (const parent of build.parents) await unpackLayer(build.store.blob(parent.digest), inWork('lower'));
  await writeFile(inWork('resolv.conf'), await resolverSettings());
  const sources = build.isUpdated
    ? await updatedSources(build.suite)
    : [`deb ${await debianMirror()} ${build.suite} main`];
  await writeFile(inWork('sources.list'), sources.map((line) => `${line}\n`).join(''));
  const exclusions = layer.exclude.map((glob) => `DPkg::Options:: "--path-exclude=${glob}";`);
  await writeFile(inWork('scratch/tmp/apt.conf'), `${await aptFetchSettings()}${exclusions.join('\n')}\n`);
  const pip = layer.requirements === undefined ? undefined : await pipFetchSettings();
  if (pip !== undefined) await copyFile(pip.certificates, inWork('scratch/certificates/ca-certificates.crt'));
  const variables = {
    ...pip?.variables,
    WORK: build.workFolder,
    PACKAGES: layer.packages.join(' '),
    REQUIREMENTS: layer.requirements ?? '',
    FROM_SOURCE: layer.fromSource ? `--no-binary ${layer.fromSource.join(',')} --no-build-isolation` : '',
    INSTALL_REQUIREMENTS,
    SCRIPT: layer.script,
  };
  await runInSandbox({ script: IN_OVERLAY, variables, log: build.log });
  const deleted = (await readFile(inWork('deleted'), 'utf8')).split('\0').filter((path) => path !== '');
  await writeWhiteouts(inWork('upper'), deleted);
  return inWork('upper');
}

async function filesContent(layer: FilesLayer, build: LayerBuild): Promise<string> {
  const root = join(build.workFolder, 'root');
  await mkdir(root);
  for (const [target, source] of Object.entries(layer.files)) {
    await mkdir(join(root, dirname(target)), { recursive: true });
    await cp(source, join(root, target), { recursive: true, verbatimSymlinks: true });
  }
  return root;
}
