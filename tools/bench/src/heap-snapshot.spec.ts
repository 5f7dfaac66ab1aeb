import { expect, it } from 'vitest';
import { mostGrown, sizesIn } from './heap-snapshot.ts';

it('adds up sizes by constructor, and by type for values without one', () => {
  const meta = { node_fields: ['type', 'name', 'id', 'self_size'], node_types: [['object', 'string']] as [string[]] };
  const nodes = [0, 0, 1, 100, 0, 0, 2, 50, 1, 1, 3, 8];
  expect(sizesIn({ snapshot: { meta }, nodes, strings: ['Pod', 'some text'] })).toEqual({ Pod: 150, '(string)': 8 });
});

it('names the constructors that grew most, and none that shrank', () => {
  expect(mostGrown({ a: 5, b: 9, c: 1 }, { a: 1, c: 2 }, 1)).toEqual({ b: 9 });
  expect(mostGrown({ a: 5, b: 9, c: 1 }, { a: 1, c: 2 }, 5)).toEqual({ b: 9, a: 4 });
});
