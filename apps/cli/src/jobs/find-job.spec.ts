import { describe, expect, it } from 'vitest';
import { KINDS } from '../kinds.ts';
import { kindNamed, qualifiedName } from './find-job.ts';

describe('the name of a kind', () => {
  it.each(KINDS.map((kind) => [kind.definition.resource.kind, kind] as const))(
    '%s is accepted as printed',
    (_name, kind) => {
      const [printed = ''] = qualifiedName(kind, 'mnist').split('/');
      expect(kindNamed(printed)).toBe(kind);
      const { resource, singular, shortNames } = kind.definition;
      const { group, version, plural } = resource;
      for (const word of [resource.kind, singular, plural, ...shortNames]) {
        expect(kindNamed(word)).toBe(kind);
        expect(kindNamed(`${word}.${group}`)).toBe(kind);
        expect(kindNamed(`${word}.${version}.${group}`)).toBe(kind);
        expect(kindNamed(`${word}.example.org`)).toBeUndefined();
      }
    },
  );
});
