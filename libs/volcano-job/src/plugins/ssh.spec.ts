import { describe, expect, it } from 'vitest';
import { TEMPLATE, volcanoJob } from '../../test-support/volcano-jobs.ts';
import { readArguments } from '../arguments/read-arguments.ts';
import { volcanoTasks } from '../model/volcano-tasks.ts';
import { hasSshKeys, SSH_FLAGS, sshConfig, sshPod, sshSecretData } from './ssh.ts';

const jobOf = (workers: number) => volcanoTasks(volcanoJob({}, { worker: { replicas: workers } }));
const valuesOf = (...args: string[]) => readArguments(SSH_FLAGS, args, '').values;
const decoded = (text = '') => Buffer.from(text, 'base64').toString();
let made = 0;
const pair = () => ({ privateKey: `private ${++made}\n`, publicKey: `public ${made}\n` });

describe('the Secret of the plugin ssh', () => {
  it('has a key pair, and the client configuration of each host', () => {
    const data = sshSecretData(jobOf(2), valuesOf('--ssh-port=2022'));
    expect(decoded(data['id_rsa'])).toMatch(/^-----BEGIN EC PRIVATE KEY-----\n/);
    expect(decoded(data['id_rsa.pub'])).toMatch(/^ecdsa-sha2-nistp521 /);
    expect(data['authorized_keys']).toBe(data['id_rsa.pub']);
    expect(decoded(data['config'])).toBe(
      [
        'StrictHostKeyChecking no',
        'UserKnownHostsFile /dev/null',
        'Host pi-worker-0',
        '  HostName pi-worker-0.pi',
        '  Port 2022',
        'Host pi-worker-1',
        '  HostName pi-worker-1.pi',
        '  Port 2022',
        '',
      ].join('\n'),
    );
  });

  it('keeps its keys when the hosts change', () => {
    const before = sshSecretData(jobOf(1), valuesOf(), {}, pair);
    const after = sshSecretData(jobOf(2), valuesOf(), before, pair);
    expect({ ...after, config: '' }).toEqual({ ...before, config: '' });
    expect(hasSshKeys(jobOf(2), valuesOf(), before)).toBe(false);
    expect(hasSshKeys(jobOf(2), valuesOf(), after)).toBe(true);
  });

  it.each<[what: string, change: (data: Record<string, string>) => Record<string, string>]>([
    ['is empty', () => ({})],
    ['lacks the private key', (data) => ({ ...data, id_rsa: '' })],
    ['lacks the public key', ({ 'id_rsa.pub': _public, ...data }) => data],
  ])('is completed if it %s', (_what, change) => {
    const data = change(sshSecretData(jobOf(1), valuesOf(), {}, pair));
    expect(hasSshKeys(jobOf(1), valuesOf(), data)).toBe(false);
    expect(hasSshKeys(jobOf(1), valuesOf(), sshSecretData(jobOf(1), valuesOf(), data, pair))).toBe(true);
  });

  it('has the given keys', () => {
    const data = sshSecretData(jobOf(1), valuesOf('--ssh-private-key=mine', '--ssh-public-key', 'yours'), {}, pair);
    expect([data['id_rsa'], data['authorized_keys']].map(decoded)).toEqual(['mine', 'yours']);
  });
});

it('has one host for a task whose template has a hostname', () => {
  const template = { spec: { ...TEMPLATE.spec, hostname: 'node', subdomain: 'rack' } };
  const tasks = volcanoTasks(volcanoJob({}, { worker: { replicas: 3, template } }));
  expect(sshConfig(tasks, 22).match(/Host .*/g)).toEqual(['Host node']);
  expect(sshConfig(tasks, 22)).toContain('HostName node.rack\n');
});

it.each([
  [[], 0o600, '/root/.ssh'],
  [['--no-root'], 0o644, '/root/.ssh'],
  [['--ssh-key-file-path=/home/mpi/.ssh'], 0o644, '/home/mpi/.ssh'],
])('mounts the keys of %j with mode %i at %s, in init containers as well', (args, defaultMode, mountPath) => {
  const { containers } = TEMPLATE.spec;
  const pod = sshPod({ name: 'pi' }, valuesOf(...args))({ containers, initContainers: containers });
  expect(pod.volumes).toMatchObject([{ name: 'pi-ssh', secret: { secretName: 'pi-ssh', defaultMode } }]);
  for (const each of [...pod.containers, ...(pod.initContainers ?? [])]) {
    expect(each.volumeMounts).toEqual([{ name: 'pi-ssh', mountPath, subPath: '.ssh' }]);
  }
});
