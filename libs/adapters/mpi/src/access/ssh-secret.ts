/** The Secret with the key pair of a job, as Kubeflow's operator writes it (kubeflow/mpi-operator: newSSHAuthSecret). */
import type { SshKeys } from '@muster/common-job-controller';

/** The keys of a Secret of the type `kubernetes.io/ssh-auth`. */
export const SSH_SECRET_KEYS = { privateKey: 'ssh-privatekey', publicKey: 'ssh-publickey' } as const;

/** The `data` of the Secret: in base64. */
export function sshSecretData({ privateKey, publicKey }: SshKeys): Record<string, string> {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  return { [SSH_SECRET_KEYS.privateKey]: base64(privateKey), [SSH_SECRET_KEYS.publicKey]: base64(publicKey) };
}

/** Whether a Secret holds both keys: new ones would lock out the pods that have these. */
export function hasSshKeys(data: Readonly<Record<string, string>> | undefined): boolean {
  return Object.values(SSH_SECRET_KEYS).every((key) => data?.[key] !== undefined && data[key] !== '');
}
