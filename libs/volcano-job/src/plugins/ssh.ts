import { sshKeys, type Problem, type SshKeys } from '@muster/common-job-controller';
import { folder, onOff, port, text, type Values } from '../arguments/flags.ts';
import { hostsOf } from '../model/hosts.ts';
import type { VolcanoTasks } from '../model/volcano-tasks.ts';
import { withVolume, type PodChange } from '../pods/pod-change.ts';

const ROOT_FOLDER = '/root/.ssh';

export const SSH_FLAGS = {
  'ssh-key-file-path': folder(ROOT_FOLDER, 'Where containers find the keys.'),
  'ssh-private-key': text('', 'The private key. Default: a generated pair.'),
  'ssh-public-key': text('', 'The public key of the pair.'),
  'ssh-port': port(22, 'The port of sshd in the pods.'),
  'no-root': onOff(
    false,
    'Whether users other than root may read the keys. They always may if ssh-key-file-path is another folder.',
  ),
};

type SshValues = Values<typeof SSH_FLAGS>;

const FILES = {
  privateKey: 'id_rsa',
  publicKey: 'id_rsa.pub',
  authorized: 'authorized_keys',
  config: 'config',
} as const;

export function sshProblems(values: SshValues, path: string): Problem[] {
  const halves = [values['ssh-private-key'], values['ssh-public-key']];
  if (halves.every((half) => half === '') || halves.every((half) => half !== '')) return [];
  const missing = values['ssh-private-key'] === '' ? '--ssh-private-key' : '--ssh-public-key';
  return [{ path, message: `Required value: set ${missing} as well, or neither to generate a pair` }];
}

export function sshPod({ name }: Pick<VolcanoTasks, 'name'>, values: SshValues): PodChange {
  const secret = sshSecretName({ name });
  const mountPath = values['ssh-key-file-path'];
  const isRoots = mountPath === ROOT_FOLDER && !values['no-root'];
  const items = Object.values(FILES).map((key) => ({ key, path: `.ssh/${key}` }));
  const defaultMode = isRoots ? 0o600 : 0o644;
  const volume = { name: secret, secret: { secretName: secret, items, defaultMode } };
  return withVolume(volume, { mountPath, subPath: '.ssh' }, 'all');
}

export function sshSecretName({ name }: Pick<VolcanoTasks, 'name'>): string {
  return `${name}-ssh`;
}

/** Existing keys are kept, because running pods have them mounted. @param existing the Secret's current `data` */
export function sshSecretData(
  job: VolcanoTasks,
  values: SshValues,
  existing: Readonly<Record<string, string>> = {},
  generate: () => SshKeys = sshKeys,
): Record<string, string> {
  const config = base64(sshConfig(job, values['ssh-port']));
  const { [FILES.privateKey]: oldPrivate, [FILES.publicKey]: oldPublic } = existing;
  if (oldPrivate && oldPublic) return secretData(oldPrivate, oldPublic, config);
  const { privateKey, publicKey } = givenKeys(values) ?? generate();
  return secretData(base64(privateKey), base64(publicKey), config);
}

export function hasSshKeys(job: VolcanoTasks, values: SshValues, data: Readonly<Record<string, string>> = {}): boolean {
  const { [FILES.privateKey]: privateKey, [FILES.publicKey]: publicKey, [FILES.config]: config } = data;
  return Boolean(privateKey && publicKey) && config === base64(sshConfig(job, values['ssh-port']));
}

function secretData(privateKey: string, publicKey: string, config: string): Record<string, string> {
  return {
    [FILES.privateKey]: privateKey,
    [FILES.publicKey]: publicKey,
    [FILES.authorized]: publicKey,
    [FILES.config]: config,
  };
}

function givenKeys(values: SshValues): SshKeys | undefined {
  const [privateKey, publicKey] = [values['ssh-private-key'], values['ssh-public-key']];
  return privateKey === '' || publicKey === '' ? undefined : { privateKey, publicKey };
}

/** Host keys are not checked: a recreated pod of the same name has another key. */
export function sshConfig(job: VolcanoTasks, portNumber: number): string {
  const hosts = job.tasks.flatMap((task) => hostsOf(job, task));
  const lines = hosts.flatMap(({ hostname, subdomain }) => [
    `Host ${hostname}`,
    `  HostName ${hostname}.${subdomain}`,
    `  Port ${portNumber}`,
  ]);
  return ['StrictHostKeyChecking no', 'UserKnownHostsFile /dev/null', ...lines, ''].join('\n');
}

function base64(content: string): string {
  return Buffer.from(content).toString('base64');
}
