import { MPI_JOBS, MX_JOBS, PYTORCH_JOBS, type Lease, type Resource } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import {
  leaseMarks,
  leaseName,
  leaseScopeProblem,
  namespacesText,
  NAMESPACES_ANNOTATION,
  overlaps,
  otherOperatorProblem,
} from './lease-scope.ts';

describe('leaseName', () => {
  it('is the plain name for all namespaces, and readable for a single one', () => {
    expect(leaseName('pytorch', [])).toBe('muster-pytorch');
    expect(leaseName('pytorch', ['team-a'])).toBe('muster-pytorch-team-a');
  });

  it('depends on the set of namespaces, but not on their order', () => {
    const name = leaseName('pytorch', ['b', 'a']);
    expect(name).toMatch(/^muster-pytorch\.2-namespaces\.[0-9a-f]{10}$/);
    expect(leaseName('pytorch', ['a', 'b'])).toBe(name);
    expect(leaseName('pytorch', ['a', 'c'])).not.toBe(name);
    expect(leaseName('pytorch', ['a-b'])).not.toBe(leaseName('pytorch', ['a', 'b']));
  });

  it('is always a DNS name that the API server accepts', () => {
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
    ['the Lease does not exist', undefined],
    ['the Lease has no holder', heldFor(['b'], '')],
    ['the holder has the same namespaces', heldFor(['c', 'a'])],
    ['the holder has not written its namespaces', heldFor(undefined)],
  ])('is undefined if %s', (_what, lease) => {
    expect(leaseScopeProblem(lease, ['a', 'c'])).toBeUndefined();
  });

  it('names both operators with their namespaces, and what to do', () => {
    expect(leaseScopeProblem(heldFor([]), ['b', 'a'])).toBe(
      'the Lease mine in namespace system is held by pod-1, which watches all namespaces, but this operator watches ' +
        'the namespaces a, b: only one of them is active. Set a different --leader-election-id for each, or the same ' +
        '--namespace for both',
    );
  });
});

describe('overlaps', () => {
  const torch = (
    namespaces: readonly string[],
    framework = 'pytorch',
    kinds: readonly Resource[] = [PYTORCH_JOBS],
  ) => ({
    framework,
    namespaces,
    kinds,
  });
  const leaseOf = (scope: Parameters<typeof leaseMarks>[0], name = 'any'): Lease => ({
    metadata: { name, ...leaseMarks(scope) },
  });
  const earlier = (name: string, namespaces?: string): Lease => ({
    metadata: { name, ...(namespaces && { annotations: { [NAMESPACES_ANNOTATION]: namespaces } }) },
  });

  it.each<[boolean, string, Lease, string[]]>([
    [true, 'both look after all namespaces', leaseOf(torch([])), []],
    [true, 'the other watches all', leaseOf(torch([])), ['a']],
    [true, 'the other watches some', leaseOf(torch(['a'])), []],
    [true, 'they share a namespace', leaseOf(torch(['a', 'b'])), ['b', 'c']],
    [false, 'they share none', leaseOf(torch(['a'])), ['aa', 'b']],
    [false, 'the other is of another framework', leaseOf(torch([], 'mpi', [MPI_JOBS])), []],
    [false, 'the other runs other kinds of the framework', leaseOf(torch([], 'pytorch', [MX_JOBS])), []],
    [true, 'the other runs one of the kinds', leaseOf(torch([], 'pytorch', [MX_JOBS, PYTORCH_JOBS])), []],
    [true, 'the other is of an earlier release, for all', earlier('muster-pytorch', '*'), ['a']],
    [true, 'the other is of a release that wrote nothing', earlier('muster-pytorch'), ['a']],
    [true, 'the other is of an earlier release, for one', earlier('muster-pytorch-a', 'a'), []],
    [false, 'the other is of an earlier release, of another framework', earlier('muster-mpi', '*'), []],
    [false, 'the Lease is none of an operator', earlier('kube-scheduler'), []],
  ])('is %s for %s', (expected, _what, lease, namespaces) => {
    expect(overlaps(lease, torch(namespaces))).toBe(expected);
  });
});

describe('otherOperatorProblem', () => {
  const held = (holderIdentity: string, namespace = 'ops'): Lease => ({
    metadata: { namespace, name: 'muster-pytorch', annotations: { [NAMESPACES_ANNOTATION]: '*' } },
    spec: { holderIdentity },
  });
  const own = { leaseNamespace: 'ops', hostname: 'pytorch-elastic-77b6f9d8c5-x2x4z', namespaces: ['a'] };

  it('names both operators with their namespaces, and what to do', () => {
    expect(otherOperatorProblem(held('torch-5d8b7c9f6-abcde_uuid', 'other'), own)).toBe(
      'another operator runs the same jobs: torch-5d8b7c9f6-abcde_uuid, with the Lease muster-pytorch in namespace other, watches ' +
        'all namespaces, and this operator watches namespace a. This operator is inactive until the other one stops: ' +
        'remove one of them, or set different namespaces (--namespace, in the charts watch.scope)',
    );
  });

  it('is undefined if an older pod of the same Deployment leads, so that an upgrade can stop it', () => {
    expect(otherOperatorProblem(held('pytorch-elastic-5d8b7c9f6-abcde_uuid'), own)).toBeUndefined();
    expect(otherOperatorProblem(held('pytorch-elastic-5d8b7c9f6-abcde_uuid', 'other'), own)).toBeDefined();
    expect(otherOperatorProblem(held('torch-5d8b7c9f6-abcde_uuid'), own)).toBeDefined();
    expect(otherOperatorProblem(held('laptop_uuid'), { ...own, hostname: 'laptop' })).toBeDefined();
    expect(otherOperatorProblem(undefined, own)).toBeUndefined();
  });
});
