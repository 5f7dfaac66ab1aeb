import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { runCommand } from '@muster/cluster';

import { buildImage, type BuildOptions } from './build-image.ts';
import { imageReference, LOCAL_REGISTRY } from './image-definition.ts';
import { killedWithParent } from './killed-with-parent.ts';
import { ensureHostTools } from './host-tools.ts';
import { IMAGES } from './images.ts';
import { stageLayout } from './import-images.ts';
import { ownPlatform } from './own-platform.ts';

export interface OperatorArchiveOptions extends BuildOptions {
  /** The folder with the Dockerfile, and with the operator's bundle in `dist/<framework>`. */
  workspace: string;
  framework: string;
  /** Part of the image's tag and labels. */
  version: string;
  /** The prefix of the image's name. Default: `muster.local`, for images that are imported into nodes. */
  registry?: string;
  /** The file to write. */
  archive: string;
  /** An image in a registry, with Node.js 24 on its PATH. Default: the `node` image that this machine builds. */
  base?: string;
  /** Such as `linux/arm64`, for a base in a registry. Default: this machine's platform. */
  platform?: string;
}

/** An OCI archive, for `skopeo copy oci-archive:<file>`, `docker load` or `podman load`. */
export interface OperatorArchive {
  file: string;
  /** Its name inside the archive, which a node uses after an import, such as `muster.local/tensorflow-operator:0.1.0`. */
  reference: string;
  /** Of the image, such as `24.1.0`. */
  nodeVersion: string;
  /** Bytes of the file: those of the compressed layers plus a few kilobytes. */
  bytes: number;
}

/**
 * Builds the Dockerfile for one framework into a file, with buildah, which needs no daemon. Equal bundles give equal images, on any day.
 * All other files that it creates are removed.
 */
export async function buildOperatorArchive(options: OperatorArchiveOptions): Promise<OperatorArchive> {
  const { workspace, framework, version, archive, progress, platform, registry = LOCAL_REGISTRY } = options;
  if (platform !== undefined && options.base === undefined) {
    throw new Error(
      `an image for ${platform} needs --base with an image for it: the default base is for this machine only`,
    );
  }
  await ensureHostTools(['buildah', 'setpriv'], progress);
  const work = await mkdtemp(join(tmpdir(), 'muster-operator-image-'));
  const buildah = async (...args: string[]): Promise<string> => {
    const storage = ['--storage-driver', 'vfs', '--root', join(work, 'storage'), '--runroot', join(work, 'run')];
    const [program, all] = killedWithParent(['buildah', ...storage, ...args]);
    return (await runCommand(program, all, { cwd: work })).stdout.trim();
  };
  try {
    // A published image has Debian's security updates of the day.
    const updatesOf = options.updatesOf ?? new Date().toISOString().slice(0, 10);
    const base = options.base ?? (await ownBase(buildah, join(work, 'base'), { ...options, updatesOf }));
    const reference = `${registry}/${framework}-operator:${version}`;
    await progress.step(`building ${reference} with buildah`, async () => {
      const values = { BASE: base, APP: framework, VERSION: version };
      const settings = Object.entries(values).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]);
      // No instruction runs a program, so there is nothing to isolate; chroot also works inside containers.
      const how = ['--isolation', 'chroot', '--timestamp', '0', ...(platform ? ['--platform', platform] : [])];
      await buildah('build', ...how, ...settings, '--tag', reference, workspace);
      await mkdir(dirname(archive), { recursive: true });
      await rm(archive, { force: true });
      await buildah('push', reference, `oci-archive:${archive}:${reference}`);
    });
    const nodeVersion = await nodeVersionOf(buildah, reference, platform);
    return { file: archive, reference, nodeVersion, bytes: (await stat(archive)).size };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Runs the image's Node.js, or reads the version from the image's configuration if the image is for another processor. */
async function nodeVersionOf(
  buildah: (...args: string[]) => Promise<string>,
  reference: string,
  platform: string | undefined,
): Promise<string> {
  if (platform === undefined || platform === ownPlatform()) {
    const container = await buildah('from', '--pull-never', reference);
    const output = await buildah('run', '--isolation', 'chroot', '--user', '0', container, '--', 'node', '--version');
    await buildah('rm', container);
    return output.replace(/^v/, '');
  }
  const env = await buildah(
    'inspect',
    '--type',
    'image',
    '--format',
    '{{range .OCIv1.Config.Env}}{{println .}}{{end}}',
    reference,
  );
  const version = /^NODE_VERSION=v?(\S+)$/m.exec(env)?.[1];
  if (version !== undefined) return version;
  throw new Error(
    `${reference} for ${platform} does not name its version of Node.js: use a base that sets the variable NODE_VERSION, such as an official image`,
  );
}

/** Imports the image `node` into buildah; returns the name by which a Dockerfile finds it there. */
async function ownBase(
  buildah: (...args: string[]) => Promise<string>,
  folder: string,
  options: BuildOptions,
): Promise<string> {
  await mkdir(folder);
  await stageLayout([await buildImage('node', options)], folder);
  // Relative to buildah's working directory: buildah treats the path as a name, which must be in lower case.
  return buildah('pull', '--quiet', `oci:base:${imageReference(IMAGES.node)}`);
}
