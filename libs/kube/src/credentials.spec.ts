import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import type { ClusterAccess } from './cluster-access.ts';
import type { ExecPlugin } from './exec-plugin.ts';
import { loadCluster } from './kube-config.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'credentials-'));
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: Date.parse('2030-01-01T00:00:00Z') });
});

afterEach(async () => {
  vi.useRealTimers();
  await rm(folder, { recursive: true });
});

const pass = (ms: number): unknown => vi.advanceTimersByTime(ms);

async function access(user: object, cluster: object = {}): Promise<ClusterAccess> {
  const kubeconfig = join(folder, 'config');
  const clusters = [{ name: 'c', cluster: { server: 'https://api.example', ...cluster } }];
  const contexts = [{ name: 'x', context: { cluster: 'c', user: 'u' } }];
  await writeFile(kubeconfig, stringify({ clusters, contexts, users: [{ name: 'u', user }], 'current-context': 'x' }));
  return loadCluster({ kubeconfig });
}

/** A credential plugin that counts its runs: token-1, token-2, … */
async function plugin(status: string, before = ''): Promise<ExecPlugin> {
  const command = join(folder, 'plugin.sh');
  await writeFile(
    command,
    `#!/bin/sh
echo run >> ${folder}/runs
n=$(wc -l < ${folder}/runs | tr -d ' ')
printf '%s' "$KUBERNETES_EXEC_INFO" > ${folder}/info
${before}
cat <<END
{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":${status}}
END
`,
  );
  await chmod(command, 0o755);
  return { apiVersion: 'client.authentication.k8s.io/v1', command, interactiveMode: 'Never' };
}

const runs = async (): Promise<number> => (await readFile(join(folder, 'runs'), 'utf8')).split('\n').length - 1;

describe('token files', () => {
  it('are read again after some seconds, and at once after a refresh', async () => {
    const tokenFile = join(folder, 'token');
    await writeFile(tokenFile, 'one\n');
    const cluster = await access({ tokenFile });
    expect(await cluster.headers()).toEqual({ authorization: 'Bearer one' });

    await writeFile(tokenFile, 'two\n');
    expect(await cluster.headers()).toEqual({ authorization: 'Bearer one' });
    pass(10_000);
    expect(await cluster.headers()).toEqual({ authorization: 'Bearer two' });

    await writeFile(tokenFile, 'three\n');
    cluster.refresh();
    expect(await cluster.headers()).toEqual({ authorization: 'Bearer three' });
  });

  it('report an error with a hint while they are missing or empty', async () => {
    const tokenFile = join(folder, 'token');
    const cluster = await access({ tokenFile });
    await expect(cluster.headers()).rejects.toThrow(
      `The token file "${tokenFile}" cannot be read (ENOENT): correct the kubeconfig or restore the file.`,
    );
    await writeFile(tokenFile, '\n');
    await expect(cluster.headers()).rejects.toThrow('is empty');
    await writeFile(tokenFile, 'here');
    expect(await cluster.headers()).toEqual({ authorization: 'Bearer here' });
  });
});

describe('credential plugins', () => {
  it('run once for many requests, and again when the token has expired', async () => {
    const exec = await plugin('{"token":"token-$n","expirationTimestamp":"2030-01-01T00:10:00Z"}');
    const cluster = await access({ exec });
    const all = await Promise.all(Array.from({ length: 20 }, () => cluster.headers()));
    expect(new Set(all.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer token-1']));
    expect(await runs()).toBe(1);

    pass(9.9 * 60_000);
    expect(await cluster.headers()).toEqual({ authorization: 'Bearer token-1' });
    pass(10_000);
    expect(await cluster.headers()).toEqual({ authorization: 'Bearer token-2' });
  });

  it('run again after a refresh', async () => {
    const cluster = await access({ exec: await plugin('{"token":"token-$n"}') });
    expect(await cluster.headers()).toEqual({ authorization: 'Bearer token-1' });
    cluster.refresh();
    expect(await cluster.headers()).toEqual({ authorization: 'Bearer token-2' });
    expect(await cluster.headers()).toEqual({ authorization: 'Bearer token-2' });
  });

  it('get their environment, and the cluster only with provideClusterInfo', async () => {
    const exec = { ...(await plugin('{"token":"$TEAM"}')), env: [{ name: 'TEAM', value: 'blue' }] };
    expect(await (await access({ exec })).headers()).toEqual({ authorization: 'Bearer blue' });
    const info = async (): Promise<unknown> => JSON.parse(await readFile(join(folder, 'info'), 'utf8'));
    expect(await info()).toEqual({
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      spec: { interactive: false },
    });
    await (await access({ exec: { ...exec, provideClusterInfo: true } })).headers();
    expect(await info()).toMatchObject({ spec: { cluster: { server: 'https://api.example' } } });
  });

  it('can give a client certificate', async () => {
    const cluster = await access({
      exec: await plugin('{"clientCertificateData":"CERT-$n","clientKeyData":"KEY-$n"}'),
    });
    expect(await cluster.headers()).toEqual({});
    const before = await cluster.tls();
    expect(before).toEqual({ cert: 'CERT-1', key: 'KEY-1' });
    expect(await cluster.tls()).toBe(before);
    cluster.refresh();
    expect(await cluster.tls()).toEqual({ cert: 'CERT-2', key: 'KEY-2' });
  });

  it.each([
    ['fail', 'echo "please log in" >&2; exit 3', 'failed: please log in. Run it by hand to log in.'],
    ['print something else', 'echo not-json-secret; exit 0', 'printed no ExecCredential'],
    ['print no credential', 'echo \'{"status":{}}\'; exit 0', 'printed no ExecCredential'],
  ])('that %s are named in the error, without their output', async (_what, before, message) => {
    const cluster = await access({ exec: await plugin('{}', before) });
    const error = await cluster.headers().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'CredentialError' });
    expect((error as Error).message).toContain(message);
    expect((error as Error).message).not.toContain('secret');
  });

  it('that gave no credentials are run again for the next request', async () => {
    const before = `if [ "$n" = 1 ]; then echo '{"status":{}}'; exit 0; fi`;
    const cluster = await access({ exec: await plugin('{"token":"token-$n"}', before) });
    await expect(cluster.headers()).rejects.toThrow('printed no ExecCredential');
    expect(await cluster.headers()).toEqual({ authorization: 'Bearer token-2' });
  });

  it('are found relative to the kubeconfig', async () => {
    const exec = { ...(await plugin('{"token":"here"}')), command: './plugin.sh' };
    expect(await (await access({ exec })).headers()).toEqual({ authorization: 'Bearer here' });
  });

  it('that do not answer time out', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] });
    const headers = (await access({ exec: await plugin('{}', 'read answer') })).headers();
    const failure = expect(headers).rejects.toThrow('returned no credentials within 60 s');
    await vi.waitUntil(() => vi.getTimerCount() > 0, 60_000);
    await vi.advanceTimersByTimeAsync(60_000);
    await failure;
  });

  it('that are not installed are named with their install hint', async () => {
    const exec = { command: '/does/not/exist', installHint: 'install it from https://example.com' };
    await expect((await access({ exec })).headers()).rejects.toThrow(
      /"\/does\/not\/exist" did not start \(.*ENOENT.*\): install it from https:\/\/example.com/,
    );
  });
});

describe('certificate files', () => {
  it('are read again after a minute, and an unchanged set is the same object', async () => {
    const file = join(folder, 'cert.pem');
    await writeFile(file, 'CERT');
    const cluster = await access({ 'client-certificate': file, 'client-key-data': btoa('KEY') });
    const before = await cluster.tls();
    pass(60_000);
    expect(await cluster.tls()).toBe(before);
    await writeFile(file, 'NEW');
    expect(await cluster.tls()).toBe(before);
    pass(60_000);
    expect(await cluster.tls()).toEqual({ cert: 'NEW', key: 'KEY' });
  });
});

describe('OIDC', () => {
  const part = (content: object): string => Buffer.from(JSON.stringify(content)).toString('base64url');
  const idToken = (exp: string): string => `${part({ alg: 'none' })}.${part({ exp: Date.parse(exp) / 1000 })}.x`;
  const login = (token: string) => ({ 'auth-provider': { name: 'oidc', config: { 'id-token': token } } });

  it('sends the id-token while it is valid, and reports that a login is needed when it cannot be renewed', async () => {
    const token = idToken('2030-01-01T00:10:00Z');
    const cluster = await access(login(token));
    expect(await cluster.headers()).toEqual({ authorization: `Bearer ${token}` });
    pass(10 * 60_000 + 1000);
    await expect(cluster.headers()).rejects.toThrow('has no valid id-token and cannot renew it');
  });
});
