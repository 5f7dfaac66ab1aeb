import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { buildImage, type BuildOptions, type BuiltImage } from './build-image.ts';
import { ensureHostTools } from './host-tools.ts';
import type { ImageDefinition } from './image-definition.ts';
import type { ImageName } from './images.ts';
import { ociIndex } from './oci-image.ts';
import { runCommand } from '@muster/cluster';

export interface ImportOptions extends BuildOptions {
  /** The Unix socket of the containerd that the node's kubelet uses. */
  containerdSocket: string;
}

/**
 * Builds missing parts of the images and imports them into a node: afterwards pods with `imagePullPolicy: IfNotPresent` start from them.
 * Images with the same content on the node are skipped. Layers that several of the images share are sent once.
 */
export async function importImages(
  images: readonly (ImageName | ImageDefinition)[],
  options: ImportOptions,
): Promise<BuiltImage[]> {
  const { containerdSocket, progress } = options;
  const built: BuiltImage[] = [];
  for (const image of images) built.push(await buildImage(image, options));
  await ensureHostTools(['ctr', 'tar', 'setpriv'], progress);
  const ctr = ['--address', containerdSocket, '--namespace', 'k8s.io'];
  const list = await runCommand('ctr', [...ctr, 'images', 'list']);
  const present = parseImageList(list.stdout);
  const wanted = built.filter((image) =>
    image.references.some((reference) => present.get(reference) !== image.manifest.digest),
  );
  if (wanted.length === 0) return built;
  const names = wanted.map((image) => image.name).join(', ');
  await progress.step(`importing ${names} into containerd`, async () => {
    const layout = await stageLayout(wanted);
    try {
      await sendLayout(layout, ['ctr', ...ctr, 'images', 'import', '-']);
    } finally {
      await rm(layout, { recursive: true, force: true });
    }
  });
  return built;
}

/** Digests by reference, from what `ctr images list` prints. */
export function parseImageList(table: string): Map<string, string> {
  const rows = table
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/));
  return new Map(rows.flatMap(([reference, , digest]) => (reference && digest ? [[reference, digest] as const] : [])));
}

/** A folder in the form of an OCI image layout; default: a new temporary one. Layers are links into the store, not copies. */
export async function stageLayout(images: readonly BuiltImage[], named?: string): Promise<string> {
  const folder = named ?? (await mkdtemp(join(tmpdir(), 'muster-image-layout-')));
  const blobs = join(folder, 'blobs', 'sha256');
  await mkdir(blobs, { recursive: true });
  const fileOf = (digest: string): string => join(blobs, digest.replace('sha256:', ''));
  await writeFile(join(folder, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
  await writeFile(join(folder, 'index.json'), ociIndex(images));
  const layers = new Map<string, string>();
  for (const image of images) {
    await writeFile(fileOf(image.config.digest), image.config.content);
    await writeFile(fileOf(image.manifest.digest), image.manifest.content);
    image.layers.forEach((layer, i) => layers.set(layer.digest, image.layerFiles[i] ?? ''));
  }
  for (const [digest, file] of layers) await symlink(file, fileOf(digest));
  return folder;
}

/**
 * Streams the layout as a tar to the program's standard input, so that no archive is written to disk. The shell removes the layout: it
 * outlives a killed parent.
 */
async function sendLayout(layout: string, receiver: readonly string[]): Promise<void> {
  const script = 'trap \'rm -rf "$1"\' EXIT; tar --dereference -C "$1" -cf - . | "${@:2}"';
  await runCommand('bash', ['-euo', 'pipefail', '-c', script, 'bash', layout, ...receiver]);
}
