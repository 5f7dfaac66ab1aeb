import type { Lease } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { leaseName, leaseScopeProblem, namespacesText, NAMESPACES_ANNOTATION } from './lease-scope.ts';

describe('leaseName', () => {
  it('is the plain one for all namespaces, and readable for a single one', () => {
    expect(leaseName('pytorch', [])).toBe('muster-pytorch');
    expect(leaseName('pytorch', ['team-a'])).toBe('muster-pytorch-team-a');
  });

  it('follows from the set of namespaces, in whatever order they are given', () => {
    const name = leaseName('pytorch', ['b', 'a']);
    expect(name).toMatch(/^muster-pytorch\.2-namespaces\.[0-9a-f]{10}$/);
    expect(leaseName('pytorch', ['a', 'b'])).toBe(name);
    expect(leaseName('pytorch', ['a', 'c'])).not.toBe(name);
    expect(leaseName('pytorch', ['a-b'])).not.toBe(leaseName('pytorch', ['a', 'b']));
  });

  it('is never longer than the API server takes, nor other than a DNS name', () => {
    const longest = 'n'.repeat(63);
    const many = Array.from({ length: 100 }, (_, i) => `${'n'.repeat(60)}${i}`);
    for (const namespaces of [[longest], many]) {
      const name = leaseName('pytorch', namespaces);
      expect(name.length).toBeLessThanOrEqual(253);
      expect(name).toMatch(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/);
    }
  });
});

describe('leaseScopeProblem', () => {
  const heldFor = (namespaces: readonly string[] | undefined, holderIdentity = 'pod-1'): Lease => ({
    metadata: {
      name: 'mine',
      namespace: 'system',
      ...(namespaces && { annotations: { [NAMESPACES_ANNOTATION]: namespacesText(namespaces) } }),
    },
    spec: { holderIdentity },
  });

  it.each<[string, Lease | undefined]>([
    ['nobody has made the Lease', undefined],
    ['nobody holds it', heldFor(['b'], '')],
    ['the holder looks after the same', heldFor(['c', 'a'])],
    ['the holder does not say what it looks after', heldFor(undefined)],
  ])('is none where %s', (_what, lease) => {
    expect(leaseScopeProblem(lease, ['a', 'c'])).toBeUndefined();
  });

  it('says who looks after what, and what to do', () => {
    expect(leaseScopeProblem(heldFor([]), ['b', 'a'])).toBe(
      'the Lease mine in namespace system is held by pod-1, which looks after all namespaces, while this operator is ' +
        'to look after the namespaces a, b: only one of them works; give each a --leader-election-id of its own, or ' +
        'both the same --namespace',
    );
  });
});
