/** The Secret with a job's key pair, as in kubeflow/mpi-operator: newSSHAuthSecret. */
import type { SshKeys } from '@muster/common-job-controller';

export const SSH_SECRET_KEYS = { privateKey: 'ssh-privatekey', publicKey: 'ssh-publickey' } as const;

export function sshSecretData({ privateKey, publicKey }: SshKeys): Record<string, string> {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  return { [SSH_SECRET_KEYS.privateKey]: base64(privateKey), [SSH_SECRET_KEYS.publicKey]: base64(publicKey) };
}

/** False if a key is missing. New keys would lock out pods with the old ones. */
export function hasSshKeys(data: Readonly<Record<string, string>> | undefined): boolean {
  return Object.values(SSH_SECRET_KEYS).every((key) => data?.[key] !== undefined && data[key] !== '');
}
