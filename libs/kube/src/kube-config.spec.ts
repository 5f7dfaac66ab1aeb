import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { stringify } from 'yaml';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { loadCluster } from './kube-config.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kube-config-'));
  vi.stubEnv('KUBECONFIG', '');
  vi.stubEnv('KUBERNETES_SERVICE_HOST', undefined);
  vi.stubEnv('HOME', folder);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

async function write(name: string, content: object | string): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, typeof content === 'string' ? content : stringify(content));
  return file;
}

function config(name: string, user: object = {}, cluster: object = {}) {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: `${name}-cluster`, cluster: { server: `https://${name}.example:6443/`, ...cluster } }],
    users: [{ name: `${name}-user`, user }],
    contexts: [{ name, context: { cluster: `${name}-cluster`, user: `${name}-user`, namespace: `${name}-ns` } }],
    'current-context': name,
  };
}

describe('loadCluster', () => {
  it('reads the current context of a named file', async () => {
    const file = await write('config', config('blue', { token: 'secret' }, { 'tls-server-name': 'api' }));
    const access = await loadCluster({ kubeconfig: file });
    expect(access).toMatchObject({ server: 'https://blue.example:6443', namespace: 'blue-ns' });
    expect(await access.headers()).toEqual({ authorization: 'Bearer secret' });
    expect(await access.tls()).toEqual({ servername: 'api' });
  });

  it('takes the context that is asked for, of all files in KUBECONFIG, of which some may be missing', async () => {
    const files = [await write('a', config('blue')), join(folder, 'missing'), await write('b', config('green'))];
    vi.stubEnv('KUBECONFIG', files.join(delimiter));
    expect((await loadCluster()).server).toBe('https://blue.example:6443');
    expect((await loadCluster({ context: 'green' })).server).toBe('https://green.example:6443');
  });

  it('reads file names relative to the kubeconfig', async () => {
    await write('token', 'from-file\n');
    await write('ca.pem', 'CA');
    await write('cert.pem', 'CERT');
    const user = { tokenFile: 'token', 'client-certificate': './cert.pem', 'client-key-data': btoa('KEY') };
    const file = await write('config', config('blue', user, { 'certificate-authority': 'ca.pem' }));
    const access = await loadCluster({ kubeconfig: file });
    expect(await access.headers()).toEqual({ authorization: 'Bearer from-file' });
    expect(await access.tls()).toEqual({ ca: 'CA', cert: 'CERT', key: 'KEY' });
  });

  it('takes the first of two entries of one name, and whatever is wrong with a context that nobody asks for', async () => {
    const second = { ...config('blue', { token: 'second' }), 'current-context': 'green' };
    const broken = { name: 'broken', cluster: {} };
    const first = config('blue', { token: 'first' });
    const files = [
      await write('a', { ...first, 'current-context': '', clusters: [broken, ...first.clusters] }),
      await write('b', config('green')),
      await write('c', second),
    ];
    vi.stubEnv('KUBECONFIG', files.join(delimiter));
    expect((await loadCluster()).server).toBe('https://green.example:6443');
    expect(await (await loadCluster({ context: 'blue' })).headers()).toEqual({ authorization: 'Bearer first' });
  });

  it('knows a name and a password, a context without a user, and plain HTTP', async () => {
    const basic = await write('basic', config('blue', { username: 'jane', password: 'pass' }));
    expect(await (await loadCluster({ kubeconfig: basic })).headers()).toEqual({
      authorization: `Basic ${btoa('jane:pass')}`,
    });
    const nobody = config('blue', {}, { server: 'http://localhost:8001', 'certificate-authority-data': btoa('CA') });
    nobody.contexts[0]!.context.user = '';
    const access = await loadCluster({ kubeconfig: await write('nobody', nobody) });
    expect(access.server).toBe('http://localhost:8001');
    expect(await access.headers()).toEqual({});
    expect(await access.tls()).toMatchObject({ ca: 'CA' });
  });

  it('passes on whom to impersonate', async () => {
    const user = {
      token: 't',
      as: 'jane',
      'as-groups': ['dev', 'ops'],
      'as-user-extra': { 'example.com/team': ['a'] },
    };
    const access = await loadCluster({ kubeconfig: await write('config', config('blue', user)) });
    expect(await access.headers()).toEqual({
      authorization: 'Bearer t',
      'impersonate-user': 'jane',
      'impersonate-group': ['dev', 'ops'],
      'impersonate-extra-example.com%2fteam': ['a'],
    });
  });

  it.each<[string, string | object, string]>([
    ['no such context', config('blue'), 'has no context "red": choose one of its contexts (blue) with --context.'],
    [
      'no cluster',
      { ...config('red'), clusters: null },
      'has no server for cluster "red-cluster" of context "red": add it.',
    ],
    ['no user', { ...config('red'), users: [] }, 'has no user "red-user", which context "red" names: add it.'],
    ['no contexts', {}, 'has no context "red": choose one of its contexts (none) with --context.'],
    ['an empty file', '', 'is empty: write one, or set KUBECONFIG to another file.'],
    [
      'a uid that is a number in YAML',
      `${stringify(config('red', { as: 'ann', 'as-uid': 'UID' }))}`.replace('UID', '0400'),
      'as-uid must be text',
    ],
    [
      'a group that is a boolean in YAML',
      `${stringify(config('red', { as: 'ann', 'as-groups': ['GROUP'] }))}`.replace('GROUP', 'yes'),
      'as-groups must be text',
    ],
    ['a file that is not YAML', 'token: [secret', 'is not YAML: write it anew'],
    [
      'an auth-provider',
      config('red', { 'auth-provider': { name: 'gcp' } }),
      'configure an `exec` credential plugin instead.',
    ],
    [
      'a plugin without a command',
      config('red', { exec: { args: ['login'] } }),
      'has an `exec` without a `command`: add one.',
    ],
    [
      'a plugin that needs a terminal',
      config('red', { exec: { command: 'login', interactiveMode: 'Always' } }),
      'choose one that runs unattended.',
    ],
    ['a proxy', config('red', {}, { 'proxy-url': 'http://p' }), 'connect directly or through a tunnel.'],
  ])('says what to do about %s', async (_what, content, message) => {
    const file = await write('config', content);
    const error = await loadCluster({ kubeconfig: file, context: 'red' }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'CredentialError' });
    expect((error as Error).message).toContain(message);
    expect((error as Error).message).not.toContain('secret');
  });

  it('says what to do when there is no file', async () => {
    await expect(loadCluster({ kubeconfig: '/does/not/exist' })).rejects.toThrow(
      'There is no kubeconfig "/does/not/exist": set KUBECONFIG, or --kubeconfig, to a file that exists.',
    );
    await expect(loadCluster()).rejects.toThrow('set KUBECONFIG to a kubeconfig file.');
  });

  it('says what to do when no context is current', async () => {
    const file = await write('config', { ...config('blue'), 'current-context': '' });
    await expect(loadCluster({ kubeconfig: file })).rejects.toThrow(
      'has no current context: choose one of its contexts (blue)',
    );
  });
});
