/**
 * The cache of finished layers: one compressed blob per content and one small record per key. A record is written last and by a rename, so
 * a layer is either complete or absent. Deleting the folder at any time is safe.
 */
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { cacheFolder } from '@muster/cluster';

/** A layer as described in image manifests. */
export interface StoredLayer {
  /** Digest of the compressed blob, `sha256:<hex>`. */
  digest: string;
  /** Bytes of the compressed blob. */
  size: number;
  /** Digest of the uncompressed tar. */
  diffId: string;
  /** Bytes of the uncompressed tar. */
  unpackedSize: number;
}

/** The default folder of layers: `images` in Muster's cache folder. */
export function imageCacheFolder(env?: NodeJS.ProcessEnv): string {
  return join(cacheFolder(env), 'images');
}

export class LayerStore {
  readonly #folder: string;

  constructor(folder: string = imageCacheFolder()) {
    this.#folder = folder;
  }

  /** The layer stored under `key`, if it exists and its blob has not been deleted. */
  async find(key: string): Promise<StoredLayer | undefined> {
    const text = await readFile(this.#record(key), 'utf8').catch(() => undefined);
    if (text === undefined) return undefined;
    const layer = JSON.parse(text) as StoredLayer;
    const blob = await stat(this.blob(layer.digest)).catch(() => undefined);
    return blob?.size === layer.size ? layer : undefined;
  }

  /** Moves a finished blob (a file on the same file system) into the store under `key`. */
  async add(key: string, file: string, layer: StoredLayer): Promise<void> {
    await mkdir(join(this.#folder, 'blobs'), { recursive: true });
    await mkdir(join(this.#folder, 'layers'), { recursive: true });
    await rename(file, this.blob(layer.digest));
    const unfinished = `${this.#record(key)}.new`;
    await writeFile(unfinished, `${JSON.stringify(layer)}\n`);
    await rename(unfinished, this.#record(key));
  }

  /** The file that holds the blob with this digest. */
  blob(digest: string): string {
    return join(this.#folder, 'blobs', digest.replace('sha256:', ''));
  }

  /** An empty folder for building image `name`, for use under the image's lock; removes files of a killed build. */
  async freshWorkFolder(name: string): Promise<string> {
    const folder = join(this.#folder, 'work', name);
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    return folder;
  }

  /** The file to lock while building image `name`. */
  lockFile(name: string): string {
    return join(this.#folder, 'locks', name);
  }

  /** An empty log file for building image `name`. It is kept after a failure and named in the error. */
  async freshLog(name: string): Promise<string> {
    const folder = join(this.#folder, 'logs');
    await mkdir(folder, { recursive: true });
    const file = join(folder, `${name}.log`);
    await writeFile(file, '');
    return file;
  }

  #record(key: string): string {
    return join(this.#folder, 'layers', `${key}.json`);
  }
}
