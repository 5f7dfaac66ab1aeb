/** SSH keys as Kubeflow's operator writes them (kubeflow/mpi-operator: newSSHAuthSecret). */
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';

export interface SshKeys {
  readonly privateKey: string;
  readonly publicKey: string;
}

const KEY_TYPE = 'ecdsa-sha2-nistp521';
const CURVE = 'nistp521';

export function sshKeys(generate: () => KeyObject = newPrivateKey): SshKeys {
  const key = generate();
  return {
    privateKey: key.export({ type: 'sec1', format: 'pem' }).toString(),
    publicKey: `${KEY_TYPE} ${publicBlob(key).toString('base64')}\n`,
  };
}

function newPrivateKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'secp521r1' }).privateKey;
}

/** The public key in SSH's wire format (RFC 5656, section 3.1). */
function publicBlob(privateKey: KeyObject): Buffer {
  // JWK has both coordinates in full length (RFC 7518, section 6.2.1.2), as SSH requires.
  const { x = '', y = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  const point = Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  return Buffer.concat([sshString(KEY_TYPE), sshString(CURVE), sshString(point)]);
}

/** A string after its length (RFC 4251, section 5). */
function sshString(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
