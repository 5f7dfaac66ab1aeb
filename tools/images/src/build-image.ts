import { rm } from 'node:fs/promises';

import { buildLayer } from './build-layer.ts';
import { withLock, type Progress } from '@muster/cluster';
import { lineage, type ImageDefinition } from './image-definition.ts';
import { findImage, type ImageName } from './images.ts';
import { layerKey } from './layer-key.ts';
import { LayerStore, type StoredLayer } from './layer-store.ts';
import { ociImage, type OciImage } from './oci-image.ts';
import { withProgramFiles } from './program-files.ts';
import { sizeText } from './size-text.ts';

export interface BuildOptions {
  progress: Progress;
  /** The folder of the layers; default: the user's cache folder. */
  store?: LayerStore;
  /**
   * A day, such as `2026-01-31`: layers with Debian's packages get its updates and security updates, and are built once for each such day.
   * Default: packages as the release was published, built once.
   */
  updatesOf?: string;
}

/** An image whose layers are all in the store. */
export interface BuiltImage extends OciImage {
  name: string;
  /** The value of `image:` in manifests. */
  reference: string;
  /** Files that hold the compressed layers, the lowest first. */
  layerFiles: readonly string[];
}

/**
 * Builds the parts of an image that are not cached: each layer of its lineage at most once on this machine, for any number of images that
 * share it and processes that build it. Needs root unless only layers of files are missing.
 */
export async function buildImage(
  nameOrDefinition: ImageName | ImageDefinition,
  options: BuildOptions,
): Promise<BuiltImage> {
  const image = typeof nameOrDefinition === 'string' ? findImage(nameOrDefinition) : nameOrDefinition;
  const { progress, store = new LayerStore(), updatesOf } = options;
  const layers: StoredLayer[] = [];
  let key: string | undefined;
  for (const step of lineage(image)) {
    const layer = await withProgramFiles(step.layer, progress);
    key = await layerKey(layer, key, updatesOf);
    layers.push(await ensureLayer({ ...step, layer }, key, [...layers], { progress, store, updatesOf }));
  }
  const built = ociImage(image, layers);
  return {
    ...built,
    name: image.name,
    reference: built.references[0],
    layerFiles: layers.map((layer) => store.blob(layer.digest)),
  };
}

async function ensureLayer(
  image: ImageDefinition,
  key: string,
  parents: readonly StoredLayer[],
  {
    progress,
    store,
    updatesOf,
  }: Required<Pick<BuildOptions, 'progress' | 'store'>> & { updatesOf: string | undefined },
): Promise<StoredLayer> {
  const cached = await store.find(key);
  if (cached !== undefined) return cached;
  const onWait = (holder: number): void =>
    progress.note(`image ${image.name}: waiting for process ${holder}, which is building it`);
  return withLock(store.lockFile(image.name), { onWait }, async () => {
    const meanwhile = await store.find(key);
    if (meanwhile !== undefined) return meanwhile;
    const layer = await progress.step(`image ${image.name}: ${describeWork(image)}`, async () => {
      const workFolder = await store.freshWorkFolder(image.name);
      const log = await store.freshLog(image.name);
      try {
        const made = await buildLayer(image.layer, {
          suite: suiteOf(image),
          isUpdated: updatesOf !== undefined,
          parents,
          store,
          workFolder,
          log,
          progress,
        });
        await store.add(key, made.file, made.layer);
        return made.layer;
      } finally {
        await rm(workFolder, { recursive: true, force: true });
      }
    });
    progress.note(
      `image ${image.name}: layer built, ${sizeText(layer.unpackedSize)}, ${sizeText(layer.size)} compressed`,
    );
    return layer;
  });
}

function describeWork({ layer }: ImageDefinition): string {
  switch (layer.kind) {
    case 'debian':
      return `building a minimal Debian ${layer.suite} (once, about half a minute)`;
    case 'packages':
      return `installing ${layer.packages.join(', ')} (once, about a minute)`;
    case 'files':
      return 'packing files';
  }
}

function suiteOf(image: ImageDefinition): string {
  const [oldest] = lineage(image);
  if (oldest?.layer.kind !== 'debian')
    throw new Error(`image ${image.name}: the layer of its oldest ancestor must be of kind debian`);
  return oldest.layer.suite;
}
