import { describe, expect, it } from 'vitest';
import { isSameMinor, parseVersion } from './binary-version.ts';

describe('binary-version', () => {
  it.each([
    ['Kubernetes v1.36.3', '1.36.3'],
    ['Client Version: v1.32.4-dispatcher\nKustomize Version: v5.5.0', '1.32.4'],
    ['etcd Version: 3.6.8\nGo Version: go1.26.8', '3.6.8'],
    ['CoreDNS-1.14.7\nlinux/amd64, go1.26.8,', '1.14.7'],
    ['kwok version v0.8.0 go1.26.8 (linux/amd64)', '0.8.0'],
    ['error: unknown flag', undefined],
  ])('reads from %j version %s', (output, version) => {
    expect(parseVersion(output)).toBe(version);
  });

  it('accepts another patch release, but not another minor release', () => {
    expect(isSameMinor('1.36.0', '1.36.3')).toBe(true);
    expect(isSameMinor('1.35.3', '1.36.3')).toBe(false);
    expect(isSameMinor('2.36.3', '1.36.3')).toBe(false);
  });
});
