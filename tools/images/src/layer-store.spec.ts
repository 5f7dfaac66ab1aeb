import { mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { LayerStore, type StoredLayer } from './layer-store.ts';

const layer: StoredLayer = { digest: 'sha256:abc', size: 5, diffId: 'sha256:def', unpackedSize: 9 };

describe('the layer store', () => {
  let folder: string;
  let store: LayerStore;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'muster-store-'));
    store = new LayerStore(folder);
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function addLayer(): Promise<void> {
    const work = await store.freshWorkFolder('image');
    const file = join(work, 'layer');
    await writeFile(file, 'bytes');
    await store.add('key', file, layer);
  }

  it('finds what was added, also from another process', async () => {
    expect(await store.find('key')).toBeUndefined();
    await addLayer();
    expect(await new LayerStore(folder).find('key')).toEqual(layer);
  });

  it('does not find a layer whose blob is missing or truncated', async () => {
    await addLayer();
    await truncate(store.blob(layer.digest), 2);
    expect(await store.find('key')).toBeUndefined();
    await rm(store.blob(layer.digest));
    expect(await store.find('key')).toBeUndefined();
  });

  it('empties a work folder that a killed build left', async () => {
    await writeFile(join(await store.freshWorkFolder('image'), 'left'), '');
    expect(await readdir(await store.freshWorkFolder('image'))).toEqual([]);
  });
});
