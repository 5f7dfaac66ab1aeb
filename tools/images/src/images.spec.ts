import { describe, expect, it } from 'vitest';

import { operatorImage } from './definitions/operator.ts';
import { imageReference, lineage } from './image-definition.ts';
import { findImage, IMAGES } from './images.ts';

const operator = operatorImage({ framework: 'mpi', version: '1.0.0', folder: '/nowhere' });

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

  it('share one Debian', () => {
    expect(new Set(Object.values(IMAGES).map((image) => lineage(image)[0]))).toEqual(new Set([IMAGES.base]));
  });

  it('of operators run the bundle as a user without rights', () => {
    expect(operator.defaults).toMatchObject({
      entrypoint: ['node', '/opt/muster/operator'],
      user: '65532:65532',
    });
    expect(imageReference(operator)).toBe('muster.local/mpi-operator:1.0.0');
  });

  it('that do not exist are answered with those that do', () => {
    expect(() => findImage('tourch')).toThrow(
      'there is no image "tourch"; choose from base, node, torch, torch-examples',
    );
  });
});
