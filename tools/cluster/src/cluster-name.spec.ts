import { describe, expect, it } from 'vitest';
import { checkClusterName, checkNodeKind } from './cluster-name.ts';

describe('cluster-name', () => {
  it.each(['muster', 'a', 'e2e-50da02', '0123456789-123456789'])('accepts %s', (name) => {
    expect(checkClusterName(name)).toBe(name);
  });

  it.each(['', 'Muster', 'a_b', '../up', 'a'.repeat(21), '-a', 'a-'])(
    'rejects "%s" and says what a name may contain',
    (name) => {
      expect(() => checkClusterName(name)).toThrow(/use 1 to 20 of a-z, 0-9 and "-"/);
    },
  );

  it('lists the choices when a kind of node is unknown', () => {
    expect(() => checkNodeKind('virtual')).toThrow('"virtual" is no kind of node: choose one of simulated, real.');
  });
});
