import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { stringify } from 'yaml';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { loadCluster } from './kube-config.ts';

const home = vi.hoisted(() => ({ isUnknown: false }));
vi.mock('node:os', async (original) => {
  const os = await original<{ homedir: () => string }>();
  const homedir = () => {
    if (home.isUnknown) throw new Error('uv_os_homedir returned ENOENT');
    return os.homedir();
  };
  return { ...os, homedir };
});

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kube-config-'));
  vi.stubEnv('KUBECONFIG', '');
  vi.stubEnv('KUBERNETES_SERVICE_HOST', undefined);
  vi.stubEnv('HOME', folder);
  for (const name of ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'NO_PROXY', 'no_proxy'])
    vi.stubEnv(name, undefined);
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

  it('uses the requested context from all files in KUBECONFIG, some of which may be missing', async () => {
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

  it('uses the first of two entries of one name, and ignores errors in other contexts', async () => {
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

  it('accepts a name and a password, a context without a user, and plain HTTP', async () => {
    const basic = await write('basic', config('blue', { username: 'jane', password: 'pass' }));
    expect(await (await loadCluster({ kubeconfig: basic })).headers()).toEqual({
      authorization: `Basic ${btoa('jane:pass')}`,
    });
    const anonymous = config('blue', {}, { server: 'http://localhost:8001', 'certificate-authority-data': btoa('CA') });
    anonymous.contexts[0]!.context.user = '';
    const access = await loadCluster({ kubeconfig: await write('anonymous', anonymous) });
    expect(access.server).toBe('http://localhost:8001');
    expect(await access.headers()).toEqual({});
    expect(await access.tls()).toMatchObject({ ca: 'CA' });
  });

  it('passes on the impersonated user', async () => {
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
    ['a missing context', config('blue'), 'has no context "red": choose one of its contexts (blue) with --context.'],
    [
      'a missing cluster',
      { ...config('red'), clusters: null },
      'has no server for cluster "red-cluster" of context "red": add it.',
    ],
    ['a missing user', { ...config('red'), users: [] }, 'has no user "red-user", which context "red" names: add it.'],
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
    ['a file that is not YAML', 'token: [secret', 'is not YAML: recreate it'],
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
    ['an invalid proxy-url', config('red', {}, { 'proxy-url': 'ftp://p' }), 'write it as http://host:port'],
  ])('reports what to do about %s', async (_what, content, message) => {
    const file = await write('config', content);
    const error = await loadCluster({ kubeconfig: file, context: 'red' }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'CredentialError' });
    expect((error as Error).message).toContain(message);
    expect((error as Error).message).not.toContain('secret');
  });

  it('reports what to do when there is no file', async () => {
    await expect(loadCluster({ kubeconfig: '/does/not/exist' })).rejects.toThrow(
      'There is no kubeconfig "/does/not/exist": set KUBECONFIG, or --kubeconfig, to a file that exists.',
    );
    await expect(loadCluster()).rejects.toThrow('set KUBECONFIG to a kubeconfig file.');
  });

  it('reports what to do when no context is current', async () => {
    const file = await write('config', { ...config('blue'), 'current-context': '' });
    await expect(loadCluster({ kubeconfig: file })).rejects.toThrow(
      'has no current context: choose one of its contexts (blue)',
    );
  });
});

describe('the proxy of a cluster', () => {
  it('is the proxy-url of the kubeconfig, or else that of the environment', async () => {
    vi.stubEnv('HTTPS_PROXY', 'http://env:3128');
    const named = await write('named', config('blue', {}, { 'proxy-url': 'socks5://own:1080' }));
    expect((await loadCluster({ kubeconfig: named })).proxy).toBe('socks5://own:1080');
    const plain = await write('plain', config('blue'));
    expect((await loadCluster({ kubeconfig: plain })).proxy).toBe('http://env:3128');
    vi.stubEnv('NO_PROXY', '.example');
    expect((await loadCluster({ kubeconfig: plain })).proxy).toBeUndefined();
  });

  it.each([[''], [null]])('is that of the environment where proxy-url is %j', async (proxyUrl) => {
    const empty = await write('empty', config('blue', {}, { 'proxy-url': proxyUrl }));
    expect((await loadCluster({ kubeconfig: empty })).proxy).toBeUndefined();
    vi.stubEnv('HTTPS_PROXY', 'http://env:3128');
    expect((await loadCluster({ kubeconfig: empty })).proxy).toBe('http://env:3128');
  });

  it('is an error if that of the environment is invalid', async () => {
    vi.stubEnv('HTTPS_PROXY', 'ftp://env');
    const plain = await write('plain', config('blue'));
    await expect(loadCluster({ kubeconfig: plain })).rejects.toThrow('HTTPS_PROXY or HTTP_PROXY is not the URL');
  });
});

describe('loadCluster in a pod', () => {
  beforeEach(async () => {
    const account = join(folder, 'var/run/secrets/kubernetes.io/serviceaccount');
    await mkdir(account, { recursive: true });
    await writeFile(join(account, 'token'), 'pod-token');
    vi.stubEnv('KUBERNETES_SERVICE_HOST', '10.0.0.1');
  });

  const writeHome = async (content: object) => {
    await mkdir(join(folder, '.kube'));
    await write('.kube/config', content);
  };

  it('prefers a kubeconfig to the ServiceAccount', async () => {
    expect(await loadCluster({}, folder)).toMatchObject({ isInCluster: true });
    await writeHome(config('blue'));
    expect((await loadCluster({}, folder)).server).toBe('https://blue.example:6443');
    vi.stubEnv('KUBECONFIG', await write('green', config('green')));
    expect((await loadCluster({}, folder)).server).toBe('https://green.example:6443');
  });

  it('prefers the ServiceAccount to ~/.kube/config for an operator', async () => {
    await writeHome(config('blue'));
    expect(await loadCluster({ preferServiceAccount: true }, folder)).toMatchObject({ isInCluster: true });
    expect((await loadCluster({ preferServiceAccount: true, context: 'blue' }, folder)).server).toBe(
      'https://blue.example:6443',
    );
  });

  it('uses the ServiceAccount for an operator whose user has no home directory', async () => {
    home.isUnknown = true;
    onTestFinished(() => void (home.isUnknown = false));
    expect(await loadCluster({ preferServiceAccount: true }, folder)).toMatchObject({ isInCluster: true });
  });

  it('never uses the ServiceAccount for a context', async () => {
    await expect(loadCluster({ context: 'green' }, folder)).rejects.toThrow(
      /^Context "green" does not exist, because there is no kubeconfig ".*config": set KUBECONFIG/,
    );
    await writeHome(config('blue'));
    await expect(loadCluster({ context: 'green' }, folder)).rejects.toThrow(
      'has no context "green": choose one of its contexts (blue) with --context.',
    );
  });
});

describe('impersonation', () => {
  it('replaces the given fields of the kubeconfig', async () => {
    const user = { token: 't', as: 'jane', 'as-groups': ['dev'], 'as-uid': '7' };
    const kubeconfig = await write('config', config('blue', user));
    const access = await loadCluster({ kubeconfig, impersonate: { user: 'ann', groups: ['ops', 'qa'] } });
    expect(await access.headers()).toEqual({
      authorization: 'Bearer t',
      'impersonate-user': 'ann',
      'impersonate-group': ['ops', 'qa'],
      'impersonate-uid': '7',
    });
  });

  it('refuses a group without a user', async () => {
    const kubeconfig = await write('config', config('blue', { token: 't' }));
    const access = await loadCluster({ kubeconfig, impersonate: { groups: ['ops'] } });
    await expect(access.headers()).rejects.toThrow('add --as');
  });
});
