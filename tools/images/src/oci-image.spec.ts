import { createHash } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import type { ImageDefinition } from './image-definition.ts';
import type { StoredLayer } from './layer-store.ts';
import { ociImage, ociIndex } from './oci-image.ts';

const layers: StoredLayer[] = ['1', '2'].map((digit) => ({
  digest: `sha256:${digit.repeat(64)}`,
  diffId: `sha256:${digit.repeat(63)}0`,
  size: 10,
  unpackedSize: 20,
}));
const parent: ImageDefinition = {
  name: 'parent',
  version: '1',
  layer: { kind: 'debian', suite: 'x', script: '' },
  defaults: { env: { PATH: '/bin', A: '1' }, command: ['sh'] },
};
const child: ImageDefinition = {
  name: 'child',
  version: '2.6',
  parent,
  layer: { kind: 'files', files: {} },
  defaults: { env: { A: '2' }, entrypoint: ['run'], user: '1:1', workingDir: '/w' },
};

describe('an OCI image', () => {
  const image = ociImage(child, layers);

  it('points from the manifest to config and layers by their true digests and sizes', () => {
    for (const blob of [image.config, image.manifest]) {
      expect(blob.digest).toBe(`sha256:${createHash('sha256').update(blob.content).digest('hex')}`);
      expect(blob.size).toBe(Buffer.byteLength(blob.content));
    }
    expect(JSON.parse(image.manifest.content)).toMatchObject({
      schemaVersion: 2,
      config: { digest: image.config.digest, size: image.config.size },
      layers: layers.map(({ digest, size }) => ({
        digest,
        size,
        mediaType: expect.stringMatching(/tar\+zstd$/) as string,
      })),
    });
  });

  it('lists the uncompressed layers in the config, the lowest first', () => {
    expect(JSON.parse(image.config.content)).toMatchObject({
      os: 'linux',
      rootfs: { type: 'layers', diff_ids: layers.map((layer) => layer.diffId) },
    });
  });

  it("inherits the parent's defaults and overrides them", () => {
    expect((JSON.parse(image.config.content) as { config: unknown }).config).toEqual({
      Env: ['PATH=/bin', 'A=2'],
      Entrypoint: ['run'],
      Cmd: ['sh'],
      WorkingDir: '/w',
      User: '1:1',
    });
  });

  it('has a stable reference and one that moves with the content only', () => {
    const [stable, byContent] = image.references;
    expect(stable).toBe('muster.local/child:2.6');
    expect(byContent).toBe(`${stable}-${image.manifest.digest.slice('sha256:'.length, 'sha256:'.length + 12)}`);
    expect(ociImage(child, layers).references).toEqual(image.references);
    expect(ociImage(child, layers.slice(1)).references[1]).not.toBe(byContent);
  });

  it('is in the index under both references', () => {
    const { manifests } = JSON.parse(ociIndex([image])) as {
      manifests: { digest: string; annotations: Record<string, string> }[];
    };
    expect(manifests.map(({ digest }) => digest)).toEqual([image.manifest.digest, image.manifest.digest]);
    expect(manifests.map(({ annotations }) => annotations['io.containerd.image.name'])).toEqual(image.references);
  });
});
