import { describe, expect, it } from 'vitest';
import { hasSshKeys, sshSecretData } from './ssh-secret.ts';

describe('the data of the Secret', () => {
  it('has both keys in base64', () => {
    expect(sshSecretData({ privateKey: 'private\n', publicKey: 'public\n' })).toEqual({
      'ssh-privatekey': 'cHJpdmF0ZQo=',
      'ssh-publickey': 'cHVibGljCg==',
    });
  });

  it.each<[data: Record<string, string> | undefined, has: boolean]>([
    [sshSecretData({ privateKey: 'a', publicKey: 'b' }), true],
    [{ ...sshSecretData({ privateKey: 'a', publicKey: 'b' }), note: 'c' }, true],
    [{ 'ssh-privatekey': 'YQ==' }, false],
    [{ 'ssh-publickey': 'YQ==' }, false],
    [{ 'ssh-privatekey': 'YQ==', 'ssh-publickey': '' }, false],
    [{}, false],
    [undefined, false],
  ])('%j has keys: %s', (data, has) => {
    expect(hasSshKeys(data)).toBe(has);
  });
});
