import { expect, it } from 'vitest';
import { withExactIntegers } from './submission.ts';

it('writes integers of 64 bits into JSON with all of their digits', () => {
  const manifest = { metadata: { name: 'a' }, spec: [{ id: 9223372036854775807n, size: 3, none: null }] };
  expect(JSON.stringify(withExactIntegers(manifest))).toBe(
    '{"metadata":{"name":"a"},"spec":[{"id":9223372036854775807,"size":3,"none":null}]}',
  );
});
