import { chmod, mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { LayerDefinition, PackagesLayer } from './image-definition.ts';
import { layerKey } from './layer-key.ts';

const packages: PackagesLayer = { kind: 'packages', packages: ['a'], exclude: [], script: 'true' };

describe('the key of a layer', () => {
  let folder: string;
  let layer: LayerDefinition;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'muster-key-'));
    await mkdir(join(folder, 'inner'));
    await writeFile(join(folder, 'inner', 'a'), 'one');
    await writeFile(join(folder, 'b'), 'two');
    layer = { kind: 'files', files: { '/opt/app': folder } };
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('is the same for the same definition and parent', async () => {
    expect(await layerKey(packages, 'parent')).toBe(await layerKey({ ...packages }, 'parent'));
  });

  it('changes with every part of the definition and with the parent', async () => {
    const keys = await Promise.all([
      layerKey(packages, 'parent'),
      layerKey(packages, 'other parent'),
      layerKey(packages, undefined),
      layerKey({ ...packages, packages: ['a', 'b'] }, 'parent'),
      layerKey({ ...packages, exclude: ['*.a'] }, 'parent'),
      layerKey({ ...packages, script: 'false' }, 'parent'),
    ]);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('of packages changes with the day of the updates, but the key of files does not', async () => {
    const days = [undefined, '2026-01-01', '2026-01-02'];
    const ofPackages = await Promise.all(days.map((day) => layerKey(packages, 'parent', day)));
    const ofFiles = await Promise.all(days.map((day) => layerKey(layer, 'parent', day)));
    expect(new Set(ofPackages).size).toBe(3);
    expect(new Set(ofFiles).size).toBe(1);
  });

  it('does not depend on when files changed or where they come from', async () => {
    const before = await layerKey(layer, 'parent');
    await utimes(join(folder, 'b'), 1, 1);
    expect(await layerKey(layer, 'parent')).toBe(before);
  });

  it('changes with the content of a file, its name, its executability and its place in the image', async () => {
    const keys = [await layerKey(layer, 'parent')];
    keys.push(await layerKey({ kind: 'files', files: { '/opt/other': folder } }, 'parent'));
    await writeFile(join(folder, 'b'), 'changed');
    keys.push(await layerKey(layer, 'parent'));
    await chmod(join(folder, 'b'), 0o755);
    keys.push(await layerKey(layer, 'parent'));
    await symlink('b', join(folder, 'c'));
    keys.push(await layerKey(layer, 'parent'));
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('names a file that is missing', async () => {
    const missing: LayerDefinition = { kind: 'files', files: { '/x': join(folder, 'none') } };
    await expect(layerKey(missing, undefined)).rejects.toThrow(`the image needs ${join(folder, 'none')}`);
  });
});
