import { execFileSync } from 'node:child_process';
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { sshKeys } from './ssh-keys.ts';

function fields(blob: Buffer): Buffer[] {
  if (blob.length === 0) return [];
  const end = 4 + blob.readUInt32BE(0);
  return [blob.subarray(4, end), ...fields(blob.subarray(end))];
}

/** Parses a line of `authorized_keys` independently of the code under test. */
function parsedKey(line: string): KeyObject {
  const [, curve, point] = fields(Buffer.from(line.split(' ')[1]!, 'base64'));
  expect(curve?.toString()).toBe('nistp521');
  expect(point).toHaveLength(1 + 66 + 66);
  expect(point?.[0]).toBe(4);
  const coordinate = (from: number) => point!.subarray(from, from + 66).toString('base64url');
  return createPublicKey({ key: { kty: 'EC', crv: 'P-521', x: coordinate(1), y: coordinate(67) }, format: 'jwk' });
}

/** A private key whose public point has a coordinate with a leading zero byte. */
function keyWithShortCoordinate(): KeyObject {
  const key = generateKeyPairSync('ec', { namedCurve: 'secp521r1' }).privateKey;
  const { x, y } = createPublicKey(key).export({ format: 'jwk' });
  const hasZero = [x, y].some((coordinate) => Buffer.from(coordinate!, 'base64url')[0] === 0);
  return hasZero ? key : keyWithShortCoordinate();
}

describe('SSH keys', () => {
  it('are a private key in PEM and a line of authorized_keys', () => {
    const { privateKey, publicKey } = sshKeys();
    expect(privateKey).toMatch(/^-----BEGIN EC PRIVATE KEY-----\n[\s\S]+\n-----END EC PRIVATE KEY-----\n$/);
    expect(publicKey).toMatch(
      /^ecdsa-sha2-nistp521 AAAAE2VjZHNhLXNoYTItbmlzdHA1MjEAAAAIbmlzdHA1MjE[A-Za-z0-9+/]+=*\n$/,
    );
  });

  it.each<[what: string, generate: (() => KeyObject) | undefined]>([
    ['any key', undefined],
    ['a key with a short coordinate', keyWithShortCoordinate],
  ])('match for %s', (_what, generate) => {
    const { privateKey, publicKey } = sshKeys(generate);
    const data = Buffer.from('hello');
    const signature = sign('sha512', data, createPrivateKey(privateKey));
    expect(verify('sha512', data, parsedKey(publicKey), signature)).toBe(true);
  });

  it('are generated each time', () => {
    expect(sshKeys().privateKey).not.toBe(sshKeys().privateKey);
  });

  it('use the given private key', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'secp521r1' });
    expect(sshKeys(() => privateKey)).toEqual(sshKeys(() => privateKey));
  });
});

describe.skipIf(!hasSshKeygen())('ssh-keygen', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ssh-keys-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  function written(name: string, content: string): string {
    const file = join(folder, name);
    writeFileSync(file, content, { mode: 0o600 });
    return file;
  }

  it('reads the public key', () => {
    const file = written('id.pub', sshKeys().publicKey);
    expect(execFileSync('ssh-keygen', ['-l', '-f', file]).toString()).toMatch(/^521 SHA256:\S+ .*\(ECDSA\)\n$/);
  });

  it('derives the same public key from the private key', () => {
    const { privateKey, publicKey } = sshKeys();
    const file = written('id', privateKey);
    expect(execFileSync('ssh-keygen', ['-y', '-f', file]).toString().trim()).toBe(publicKey.trim());
  });
});

function hasSshKeygen(): boolean {
  try {
    execFileSync('which', ['ssh-keygen']);
    return true;
  } catch {
    return false;
  }
}
