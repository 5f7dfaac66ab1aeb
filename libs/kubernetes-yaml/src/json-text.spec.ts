import { describe, expect, it } from 'vitest';
import { jsonText, parseJson } from './json-text.ts';

describe('JSON with 64-bit integers', () => {
  it('keeps all digits when it is read', () => {
    expect(parseJson('{"a":9223372036854775807,"b":[-9007199254740993,3,1.5,1e30]}')).toEqual({
      a: 9223372036854775807n,
      b: [-9007199254740993n, 3, 1.5, 1e30],
    });
  });

  it('keeps all digits when it is written', () => {
    const text = jsonText({ spec: [{ id: 9223372036854775807n, size: 3, none: null }] });
    expect(text.replaceAll(/\s/g, '')).toBe('{"spec":[{"id":9223372036854775807,"size":3,"none":null}]}');
  });
});
