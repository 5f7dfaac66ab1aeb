import { describe, expect, it } from 'vitest';
import { canShare, type LockFile, packageLinks } from './shared-packages.ts';

const LOCKED = {
  '': {},
  'libs/engine': {},
  'node_modules/@muster/engine': { resolved: 'libs/engine', link: true },
  'node_modules/zod': { integrity: 'sha512-a' },
  'node_modules/@nestjs/core': { integrity: 'sha512-b' },
  'node_modules/@nestjs/core/node_modules/iterare': { integrity: 'sha512-c' },
};

function lockFile(changes: LockFile['packages'] = {}): LockFile {
  return { packages: { ...LOCKED, ...changes } };
}

describe('canShare', () => {
  it.each([
    ['the same packages', lockFile()],
    ['packages that the other commit does not need', lockFile({ 'node_modules/undici': { integrity: 'sha512-d' } })],
    ['other workspaces', lockFile({ 'node_modules/@muster/new': { resolved: 'libs/new', link: true } })],
  ])('is true for %s', (_what, present) => {
    expect(canShare(present, lockFile())).toBe(true);
  });

  it.each([
    ['another version of a package', lockFile({ 'node_modules/zod': { integrity: 'sha512-x' } })],
    [
      'another version of a nested package',
      lockFile({ 'node_modules/@nestjs/core/node_modules/iterare': { integrity: 'sha512-x' } }),
    ],
  ])('is false for %s', (_what, present) => {
    expect(canShare(present, lockFile())).toBe(false);
    expect(canShare(lockFile(), lockFile({ 'node_modules/missing': { integrity: 'sha512-e' } }))).toBe(false);
  });
});

describe('packageLinks', () => {
  it("links workspaces to the other checkout's folders, and packages of the registry to this checkout's", () => {
    expect(packageLinks(lockFile(), { source: '/old', present: '/new' })).toEqual([
      ['/old/node_modules/@muster/engine', '/old/libs/engine'],
      ['/old/node_modules/zod', '/new/node_modules/zod'],
      ['/old/node_modules/@nestjs/core', '/new/node_modules/@nestjs/core'],
    ]);
  });
});
