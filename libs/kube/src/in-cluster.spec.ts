import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { loadInCluster } from './in-cluster.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'in-cluster-'));
});

afterEach(async () => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

function write(name: string, content: string): Promise<void> {
  return writeFile(join(folder, name), content);
}

describe('loadInCluster', () => {
  it('reads the address from the environment and the rest from the ServiceAccount', async () => {
    const account = 'var/run/secrets/kubernetes.io/serviceaccount';
    await mkdir(join(folder, account), { recursive: true });
    await write(`${account}/token`, 'pod-token');
    await write(`${account}/ca.crt`, 'CA');
    await write(`${account}/namespace`, 'team-a');
    vi.stubEnv('KUBERNETES_SERVICE_HOST', 'fd00::1');
    vi.stubEnv('KUBERNETES_SERVICE_PORT', '6443');
    const access = loadInCluster(folder);
    expect(access).toMatchObject({ server: 'https://[fd00::1]:6443', namespace: 'team-a' });
    expect(await access.headers()).toEqual({ authorization: 'Bearer pod-token' });
    expect(await access.tls()).toEqual({ ca: 'CA' });

    await write(`${account}/token`, 'rotated');
    access.refresh();
    expect(await access.headers()).toEqual({ authorization: 'Bearer rotated' });
  });

  it('reports what the pod lacks until it exists', async () => {
    const account = 'var/run/secrets/kubernetes.io/serviceaccount';
    await mkdir(join(folder, account), { recursive: true });
    const access = loadInCluster(folder);
    expect(access.namespace).toBe('default');
    await expect(access.headers()).rejects.toThrow(
      /lacks ".*ca\.crt" \(ENOENT\): set automountServiceAccountToken: true/,
    );
    await write(`${account}/ca.crt`, 'CA');
    await write(`${account}/token`, '\n');
    await expect(access.headers()).rejects.toThrow(/token" is empty/);
    await write(`${account}/token`, 'pod-token\n');
    expect(await access.headers()).toEqual({ authorization: 'Bearer pod-token' });
  });

  it('reads the files again after some seconds, and returns a new object only for a new certificate', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const account = 'var/run/secrets/kubernetes.io/serviceaccount';
    await mkdir(join(folder, account), { recursive: true });
    await write(`${account}/token`, 'one');
    await write(`${account}/ca.crt`, 'CA');
    const access = loadInCluster(folder);
    const tls = await access.tls();
    await write(`${account}/token`, 'two');
    expect(await access.headers()).toEqual({ authorization: 'Bearer one' });
    vi.advanceTimersByTime(10_000);
    expect(await access.headers()).toEqual({ authorization: 'Bearer two' });
    expect(await access.tls()).toBe(tls);
    await write(`${account}/ca.crt`, 'another');
    access.refresh();
    expect(await access.tls()).toEqual({ ca: 'another' });
  });

  it('reads a replaced token after some seconds although the wall clock was set back', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    const account = 'var/run/secrets/kubernetes.io/serviceaccount';
    await mkdir(join(folder, account), { recursive: true });
    await write(`${account}/token`, 'one');
    await write(`${account}/ca.crt`, 'CA');
    const access = loadInCluster(folder);
    expect(await access.headers()).toEqual({ authorization: 'Bearer one' });
    await write(`${account}/token`, 'two');
    vi.setSystemTime(Date.now() - 3_600_000);
    vi.advanceTimersByTime(10_000);
    expect(await access.headers()).toEqual({ authorization: 'Bearer two' });
  });
});
