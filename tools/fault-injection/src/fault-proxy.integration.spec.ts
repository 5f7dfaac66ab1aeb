import { readFile } from 'node:fs/promises';
import { PODS } from '@muster/job-api';
import { createKubeClient, loadCluster } from '@muster/kube';
import { eventually, SERVICE_ACCOUNTS, testCluster } from '@muster/testing';
import { describe, expect, it } from 'vitest';
import { faultProxy } from './fault-proxy.ts';

const cluster = await testCluster();

const once = { userAgent: 'spec/1' };

describe('faultProxy', () => {
  it('passes on requests without a fault unchanged', async () => {
    const namespace = await cluster.namespace();
    await using proxy = await faultProxy(cluster.access);
    const client = createKubeClient(await loadCluster({ kubeconfig: proxy.kubeconfig }), once);
    const key = { namespace, name: 'through' };
    await client.create(SERVICE_ACCOUNTS, { metadata: key });
    await expect(client.create(SERVICE_ACCOUNTS, { metadata: key })).rejects.toMatchObject({ reason: 'AlreadyExists' });
    expect(await client.get(SERVICE_ACCOUNTS, key)).toEqual(await cluster.client.get(SERVICE_ACCOUNTS, key));
    expect(proxy.requests.map(({ method, watch }) => `${method} ${watch}`)).toEqual([
      'POST false',
      'POST false',
      'GET false',
    ]);
    await client.close();
  });

  it('injects a fault the requested number of times, only for matching requests, until it is removed', async () => {
    await using proxy = await faultProxy(cluster.access);
    const client = createKubeClient(proxy.access, once);
    const list = () =>
      client.listPage(PODS, { namespace: 'default' }).then(
        () => 'ok',
        (error: Error) => error.message,
      );
    proxy.inject({ path: /\/services$/ }, { type: 'answer', code: 404 });
    proxy.inject(({ query }) => query.get('limit') === '1', { type: 'answer', code: 404 });
    proxy.inject({ method: 'GET', path: '/pods' }, { type: 'answer', code: 403, reason: 'Forbidden' }, 2);
    expect([await list(), await list(), await list()]).toEqual([
      'list pods in "default": injected 403',
      'list pods in "default": injected 403',
      'ok',
    ]);
    const takeBack = proxy.inject({ path: '/pods' }, { type: 'answer', code: 400 });
    expect(await list()).toContain('injected 400');
    takeBack();
    expect(await list()).toBe('ok');
    await client.close();
  });

  it('refuses, loses answers and stalls; of these only a lost answer reaches the server', async () => {
    const namespace = await cluster.namespace();
    await using proxy = await faultProxy(cluster.access);
    const client = createKubeClient(proxy.access, once);
    const hasty = createKubeClient(proxy.access, { ...once, requestTimeoutMs: 500 });
    const create = (name: string, by = client) => by.create(SERVICE_ACCOUNTS, { metadata: { namespace, name } });
    proxy.inject({}, { type: 'refuse' }, 1);
    await expect(create('refused')).rejects.toMatchObject({ reason: 'Unreachable' });
    proxy.inject({}, { type: 'loseAnswer' }, 1);
    await expect(create('lost')).rejects.toMatchObject({ reason: 'Unreachable' });
    proxy.inject({}, { type: 'stall' }, 1);
    await expect(create('stalled', hasty)).rejects.toMatchObject({ reason: 'Unreachable' });
    proxy.inject({}, { type: 'delay', ms: 10 }, 1);
    await create('delayed');
    const { items } = await cluster.client.list(SERVICE_ACCOUNTS, { namespace });
    expect(items.map(({ metadata }) => metadata?.name).sort()).toEqual(['default', 'delayed', 'lost']);
    await Promise.all([client.close(), hasty.close()]);
  });

  it('lets another server answer what it handles, with the same faults', async () => {
    const seen: string[] = [];
    await using proxy = await faultProxy(cluster.access, ({ method, path }, body) => {
      if (!path.includes('/proxy/')) return undefined;
      seen.push(`${method} ${body}`);
      return { code: 202, body: { status: 'RUNNING' } };
    });
    const client = createKubeClient(proxy.access, once);
    const submit = () => client.proxied({ method: 'POST', path: '/api/v1/services/head/proxy/jobs', body: { id: 1 } });
    expect(await submit()).toMatchObject({ code: 202, text: '{"status":"RUNNING"}' });
    proxy.inject({}, { type: 'loseAnswer' }, 1);
    await expect(submit()).rejects.toThrow();
    expect(seen).toEqual(['POST {"id":1}', 'POST {"id":1}']);
    await client.list(PODS, { namespace: 'default' });
    expect(proxy.writes.map(({ code }) => code)).toEqual([202, 202]);
    await client.close();
  });

  it('calls back between the nth write and its answer', async () => {
    const namespace = await cluster.namespace();
    await using proxy = await faultProxy(cluster.access);
    const client = createKubeClient(proxy.access, once);
    const stored: string[] = [];
    proxy.onWrite(2, async ({ method, path }) => {
      const { items } = await cluster.client.list(SERVICE_ACCOUNTS, { namespace });
      stored.push(`${method} ${path}`, ...items.map(({ metadata }) => metadata?.name ?? ''));
    });
    await client.create(SERVICE_ACCOUNTS, { metadata: { namespace, name: 'dry' } }, { dryRun: true });
    for (const name of ['one', 'two', 'three'])
      await client.create(SERVICE_ACCOUNTS, { metadata: { namespace, name } });
    expect(stored).toEqual([`POST /api/v1/namespaces/${namespace}/serviceaccounts`, 'default', 'one', 'two']);
    await client.close();
  });

  it('counts only matching successful writes, serializes them until the nth, and records them', async () => {
    const namespace = await cluster.namespace();
    await using proxy = await faultProxy(cluster.access);
    const client = createKubeClient(proxy.access, once);
    const create = (name: string) => client.create(SERVICE_ACCOUNTS, { metadata: { namespace, name } });
    let stored: (string | undefined)[] = [];
    const act = async () => {
      const { items } = await cluster.client.list(SERVICE_ACCOUNTS, { namespace });
      stored = items.map(({ metadata }) => metadata?.name);
    };
    proxy.onWrite(2, act, { match: { path: 'serviceaccounts' }, answerFirst: true });
    await client.create(PODS, { metadata: { namespace, name: 'no-pod' } }).catch(() => undefined);
    await expect(create('default')).rejects.toMatchObject({ reason: 'AlreadyExists' });
    await Promise.all(['a', 'b', 'c', 'd'].map((name) => create(name)));
    const accounts = proxy.writes.filter(({ path }) => path.endsWith('serviceaccounts'));
    const [refused, first, second] = accounts.map(({ name }) => name);
    expect(accounts.map(({ code }) => code)).toEqual([409, 201, 201, 201, 201]);
    expect(refused).toBeUndefined();
    expect(accounts.slice(1).map(({ name }) => name)).toEqual(expect.arrayContaining(['a', 'b', 'c', 'd']));
    expect(stored).toHaveLength(3);
    expect(stored).toEqual(expect.arrayContaining(['default', first, second]));
    await client.close();
  });

  it.each([
    ['cut', { type: 'cut', afterEvents: 1 }, 'Unreachable'],
    ['cut within a line', { type: 'cut', afterEvents: 1, midLine: true }, 'Unreachable'],
    ['expired', { type: 'expire', afterEvents: 1 }, 'Expired'],
  ] as const)('delivers the earlier events on a watch that is %s', async (_what, fault, reason) => {
    const namespace = await cluster.namespace();
    await using proxy = await faultProxy(cluster.access);
    const client = createKubeClient(proxy.access, once);
    const { resourceVersion } = await client.list(SERVICE_ACCOUNTS, { namespace });
    proxy.inject({ watch: true }, fault, 1);
    for (const name of ['one', 'two']) await cluster.client.create(SERVICE_ACCOUNTS, { metadata: { namespace, name } });
    const watch = await client.watch(SERVICE_ACCOUNTS, { namespace, resourceVersion });
    expect(await watch.next()).toMatchObject({ value: { type: 'ADDED', object: { metadata: { name: 'one' } } } });
    await expect(watch.next()).rejects.toMatchObject({ reason });
    await client.close();
  });

  it('closes all connections when it is closed', async () => {
    const namespace = await cluster.namespace();
    const proxy = await faultProxy(cluster.access);
    const client = createKubeClient(proxy.access, once);
    const { resourceVersion } = await client.list(SERVICE_ACCOUNTS, { namespace });
    const watch = await client.watch(SERVICE_ACCOUNTS, { namespace, resourceVersion });
    expect(proxy.openWatches).toBe(1);
    await proxy.close();
    await expect(watch.next()).rejects.toMatchObject({ reason: 'Unreachable' });
    await eventually(() => proxy.openWatches === 0);
    await expect(readFile(proxy.kubeconfig)).rejects.toMatchObject({ code: 'ENOENT' });
    await client.close();
  });
});
