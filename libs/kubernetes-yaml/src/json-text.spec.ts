import { describe, expect, it } from 'vitest';
import { jsonText, parseJson } from './json-text.ts';

describe('JSON with integers of 64 bits', () => {
  it('is read with all of their digits', () => {
    expect(parseJson('{"a":9223372036854775807,"b":[-9007199254740993,3,1.5,1e30]}')).toEqual({
      a: 9223372036854775807n,
      b: [-9007199254740993n, 3, 1.5, 1e30],
    });
  });

  it('is written with all of their digits', () => {
    const text = jsonText({ spec: [{ id: 9223372036854775807n, size: 3, none: null }] });
    expect(text.replaceAll(/\s/g, '')).toBe('{"spec":[{"id":9223372036854775807,"size":3,"none":null}]}');
  });
});
