import { expect, it } from 'vitest';
import { undueWrites } from './undue-writes.ts';

it('leaves out what was due, and names what is more than that', () => {
  expect(
    undueWrites({ 'POST pods': 1, 'DELETE pods': 3, 'PATCH services': 1 }, { 'POST pods': 2, 'DELETE pods': 2 }),
  ).toEqual({
    'DELETE pods': 1,
    'PATCH services': 1,
  });
});
