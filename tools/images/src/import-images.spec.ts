import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { BuiltImage } from './build-image.ts';
import { base } from './definitions/base.ts';
import { parseImageList, stageLayout } from './import-images.ts';
import { ociImage } from './oci-image.ts';

const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');

describe('an image layout', () => {
  let folder: string;
  let image: BuiltImage;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'muster-layout-'));
    const file = join(folder, 'layer');
    await writeFile(file, 'layer bytes');
    const layer = { digest: `sha256:${sha256('layer bytes')}`, size: 11, diffId: 'sha256:0', unpackedSize: 20 };
    const built = ociImage(base, [layer]);
    image = { ...built, name: 'base', reference: built.references[0], layerFiles: [file] };
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('holds every blob once, under the digest of its content', async () => {
    const layout = await stageLayout([image, image]);
    const blobs = join(layout, 'blobs', 'sha256');
    const names = await readdir(blobs);
    expect(names).toHaveLength(3);
    for (const name of names) expect(sha256(await readFile(join(blobs, name)))).toBe(name);
    expect(JSON.parse(await readFile(join(layout, 'oci-layout'), 'utf8'))).toEqual({ imageLayoutVersion: '1.0.0' });
    await rm(layout, { recursive: true });
  });
});

describe('the list of images in containerd', () => {
  it('is read as digests by reference', () => {
    const table = `REF                     TYPE                  DIGEST      SIZE      PLATFORMS   LABELS
muster.local/base:trixie application/vnd.oci.x sha256:abc  24.5 MiB  linux/amd64 io.cri-containerd.image=managed
`;
    expect(parseImageList(table)).toEqual(new Map([['muster.local/base:trixie', 'sha256:abc']]));
    expect(parseImageList('REF TYPE DIGEST\n')).toEqual(new Map());
  });
});
