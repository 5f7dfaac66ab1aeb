import { randomUUID } from 'node:crypto';
import { CUSTOM_RESOURCE_DEFINITIONS, PODS } from '@muster/job-api';
import { faultProxy, installCrd, testCluster } from '@muster/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { connectProxy } from '../test-support/connect-proxy.ts';
import { type ConfigMap, CONFIG_MAPS, configMap, OURS } from '../test-support/config-maps.ts';
import { type Widget, widgetCrd } from '../test-support/widget-crd.ts';
import type { WatchEvent } from './client.ts';
import { hasResource } from './discovery.ts';
import { createKubeClient } from './http-client.ts';

const cluster = await testCluster();
const { client } = cluster;
const widgets = widgetCrd();
let namespace: string;

beforeAll(async () => {
  namespace = await cluster.namespace();
  await installCrd(client, widgets.crd);
});

afterAll(() => client.delete(CUSTOM_RESOURCE_DEFINITIONS, { name: widgets.crd.metadata?.name ?? '' }));

/** A name that no other test has. */
const fresh = (): string => `x-${randomUUID().slice(0, 8)}`;

describe('the verbs, on a real API server', () => {
  it('create, get and delete', async () => {
    const name = fresh();
    const created = await client.create(CONFIG_MAPS, configMap(namespace, name, { a: '1' }));
    expect(created).toMatchObject({
      kind: 'ConfigMap',
      data: { a: '1' },
      metadata: { uid: expect.any(String) as string },
    });
    expect(await client.get(CONFIG_MAPS, { namespace, name })).toEqual(created);
    await client.delete(CONFIG_MAPS, { namespace, name });
    await expect(client.get(CONFIG_MAPS, { namespace, name })).rejects.toMatchObject({
      code: 404,
      reason: 'NotFound',
      message: `get configmaps "${namespace}/${name}": configmaps "${name}" not found`,
    });
  });

  it('create says AlreadyExists', async () => {
    const object = configMap(namespace, fresh());
    await client.create(CONFIG_MAPS, object);
    await expect(client.create(CONFIG_MAPS, object)).rejects.toMatchObject({ code: 409, reason: 'AlreadyExists' });
  });

  it('create says which field is invalid', async () => {
    const widget: Widget = { metadata: { namespace, name: fresh() }, spec: { size: 11 } };
    await expect(client.create(widgets.resource, widget)).rejects.toMatchObject({
      reason: 'Invalid',
      message: expect.stringContaining('spec.size') as string,
    });
  });

  it('a dry run answers as if, and stores nothing', async () => {
    const name = fresh();
    expect(await client.create(CONFIG_MAPS, configMap(namespace, name), { dryRun: true })).toMatchObject({
      metadata: { uid: expect.any(String) as string },
    });
    await expect(client.get(CONFIG_MAPS, { namespace, name })).rejects.toMatchObject({ reason: 'NotFound' });

    await client.create(CONFIG_MAPS, configMap(namespace, name, { a: '1' }));
    await client.patch(CONFIG_MAPS, { namespace, name }, { data: { a: '2' } }, { dryRun: true });
    await client.apply(CONFIG_MAPS, configMap(namespace, name, { b: '2' }), { dryRun: true });
    await client.delete(CONFIG_MAPS, { namespace, name }, { dryRun: true });
    expect(await client.get(CONFIG_MAPS, { namespace, name })).toMatchObject({ data: { a: '1' } });
  });

  it('replace wants the stored resourceVersion', async () => {
    const created = await client.create(CONFIG_MAPS, configMap(namespace, fresh(), { a: '1' }));
    const replaced = await client.replace(CONFIG_MAPS, { ...created, data: { a: '2' } });
    expect(replaced.data).toEqual({ a: '2' });
    await expect(client.replace(CONFIG_MAPS, { ...created, data: { a: '3' } })).rejects.toMatchObject({
      code: 409,
      reason: 'Conflict',
    });
  });

  it('merge, JSON and strategic patches change what they name', async () => {
    const name = fresh();
    const key = { namespace, name };
    await client.create(CONFIG_MAPS, configMap(namespace, name, { a: '1', b: '1' }));
    expect(await client.patch(CONFIG_MAPS, key, { data: { a: null, c: '3' } })).toMatchObject({
      data: { b: '1', c: '3' },
    });
    const test = [
      { op: 'test', path: '/data/b', value: '1' },
      { op: 'replace', path: '/data/b', value: '2' },
    ];
    expect(await client.patch(CONFIG_MAPS, key, test, { type: 'json' })).toMatchObject({ data: { b: '2', c: '3' } });
    await expect(client.patch(CONFIG_MAPS, key, test, { type: 'json' })).rejects.toMatchObject({ reason: 'Invalid' });
    const strategic = { metadata: { finalizers: ['example.com/one'] } };
    await client.patch(CONFIG_MAPS, key, strategic, { type: 'strategic' });
    const more = { metadata: { finalizers: ['example.com/two'] } };
    const patched = await client.patch(CONFIG_MAPS, key, more, { type: 'strategic' });
    expect(patched.metadata?.finalizers?.toSorted()).toEqual(['example.com/one', 'example.com/two']);
    await client.patch(CONFIG_MAPS, key, { metadata: { finalizers: null } });
  });

  it('a status patch changes the status alone, and conflicts on a stale resourceVersion', async () => {
    const name = fresh();
    const created = await client.create(widgets.resource, { metadata: { namespace, name }, spec: { size: 1 } });
    const key = { namespace, name };
    const patched = await client.patchStatus(widgets.resource, key, { spec: { size: 2 }, status: { ready: true } });
    expect(patched).toMatchObject({ spec: { size: 1 }, status: { ready: true } });
    const stale = { metadata: { resourceVersion: created.metadata?.resourceVersion }, status: { ready: false } };
    await expect(client.patchStatus(widgets.resource, key, stale)).rejects.toMatchObject({
      reason: 'Conflict',
      message: expect.stringContaining(
        `patch widgets.${widgets.resource.group}/status "${namespace}/${name}"`,
      ) as string,
    });
  });

  it('server-side apply creates, changes, and leaves what others own unless forced', async () => {
    const name = fresh();
    const mine = configMap(namespace, name, { a: 'mine' });
    const applied = await client.apply(CONFIG_MAPS, mine, { fieldManager: 'me' });
    expect(await client.apply(CONFIG_MAPS, mine, { fieldManager: 'me' })).toEqual(applied);
    const theirs = configMap(namespace, name, { a: 'theirs' });
    await expect(client.apply(CONFIG_MAPS, theirs, { fieldManager: 'they' })).rejects.toMatchObject({
      code: 409,
      reason: 'Conflict',
      message: expect.stringContaining('conflict with "me": .data.a') as string,
    });
    expect(await client.apply(CONFIG_MAPS, theirs, { fieldManager: 'they', force: true })).toMatchObject({
      data: { a: 'theirs' },
    });
  });

  it('delete with a uid spares another object of the same name', async () => {
    const name = fresh();
    const { metadata } = await client.create(CONFIG_MAPS, configMap(namespace, name));
    const key = { namespace, name };
    await expect(client.delete(CONFIG_MAPS, key, { uid: randomUUID() })).rejects.toMatchObject({ reason: 'Conflict' });
    await expect(client.delete(CONFIG_MAPS, key, { resourceVersion: '1' })).rejects.toMatchObject({
      reason: 'Conflict',
    });
    await client.delete(CONFIG_MAPS, key, { uid: metadata?.uid ?? '' });
    await expect(client.delete(CONFIG_MAPS, key)).rejects.toMatchObject({ reason: 'NotFound' });
  });

  it('delete passes on how long the pod may take', async () => {
    const name = fresh();
    const metadata = { namespace, name, finalizers: ['example.com/keep'] };
    await client.create(PODS, { metadata, spec: { containers: [{ name: 'c', image: 'i' }] } });
    await client.delete(PODS, { namespace, name }, { gracePeriodSeconds: 0 });
    expect((await client.get(PODS, { namespace, name })).metadata).toMatchObject({ deletionGracePeriodSeconds: 0 });
    await client.patch(PODS, { namespace, name }, { metadata: { finalizers: null } });
  });

  it('list returns all pages, of one namespace and by selector', async () => {
    const here = await cluster.namespace();
    const names = ['a', 'b', 'c', 'd', 'e'];
    await Promise.all(names.map((name) => client.create(CONFIG_MAPS, configMap(here, name))));
    const list = await client.list(CONFIG_MAPS, { namespace: here, labelSelector: OURS, pageSize: 2 });
    expect(list.items.map(({ kind, metadata }) => `${kind} ${metadata?.name}`).sort()).toEqual(
      names.map((name) => `ConfigMap ${name}`),
    );
    expect(Number(list.resourceVersion)).toBeGreaterThan(0);
    const one = await client.list(CONFIG_MAPS, { fieldSelector: `metadata.name=c,metadata.namespace=${here}` });
    expect(one.items).toHaveLength(1);
    const page = await client.listPage(CONFIG_MAPS, { namespace: here, pageSize: 2 });
    expect(page.items).toHaveLength(2);
    expect(page.continueToken).toBeDefined();
  });

  it('raw reads what is no object', async () => {
    expect(await client.raw('/version')).toMatchObject({ gitVersion: expect.stringMatching(/^v1\./) as string });
  });

  it('hasResource tells what is served', async () => {
    const { group } = widgets.resource;
    expect(await hasResource(client, '', 'v1', 'pods')).toBe(true);
    expect(await hasResource(client, group, 'v1', 'widgets')).toBe(true);
    expect(await hasResource(client, group, 'v1', 'gadgets')).toBe(false);
    expect(await hasResource(client, group, 'v2', 'widgets')).toBe(false);
    expect(await hasResource(client, 'nobody.example.com', 'v1', 'widgets')).toBe(false);
  });

  it('a user without rights gets the words of the server', async () => {
    await expect(cluster.as('mallory').create(CONFIG_MAPS, configMap(namespace, 'stolen'))).rejects.toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message: `create configmaps "${namespace}/stolen": configmaps is forbidden: User "mallory" cannot create resource "configmaps" in API group "" in the namespace "${namespace}"`,
    });
  });
});

describe('a watch', () => {
  it('sees what is added, modified and deleted, and bookmarks', async () => {
    const here = await cluster.namespace();
    const { resourceVersion } = await client.list(CONFIG_MAPS, { namespace: here });
    const key = { namespace: here, name: 'a' };
    const watch = await client.watch(CONFIG_MAPS, {
      namespace: here,
      labelSelector: OURS,
      resourceVersion,
      timeoutSeconds: 10,
    });
    await client.create(CONFIG_MAPS, configMap(here, 'a'));
    await client.patch(CONFIG_MAPS, key, { data: { a: '1' } });
    await client.delete(CONFIG_MAPS, key);
    const events: WatchEvent<ConfigMap>[] = [];
    for await (const event of watch) events.push(event);
    expect(events.map(({ type }) => type).filter((type) => type !== 'BOOKMARK')).toEqual([
      'ADDED',
      'MODIFIED',
      'DELETED',
    ]);
    const bookmark = events.findLast(({ type }) => type === 'BOOKMARK');
    expect(Number(bookmark?.object.metadata?.resourceVersion)).toBeGreaterThan(Number(resourceVersion));
  });

  it('does not keep requests waiting, however many there are', async () => {
    const narrow = createKubeClient(cluster.access, { userAgent: 'spec/1', connections: 1 });
    const { resourceVersion } = await narrow.list(CONFIG_MAPS, { namespace });
    const watches = await Promise.all(
      Array.from({ length: 8 }, () => narrow.watch(CONFIG_MAPS, { namespace, resourceVersion })),
    );
    await narrow.get(CONFIG_MAPS, {
      namespace,
      name: (await narrow.create(CONFIG_MAPS, configMap(namespace, fresh()))).metadata?.name ?? '',
    });
    await Promise.all(watches.map(async (watch) => expect(await watch.next()).toMatchObject({ done: false })));
    await Promise.all(watches.map((watch) => watch.return(undefined)));
    await narrow.close();
  });

  it('from a forgotten resourceVersion is Expired', async () => {
    // The server's memory of a resource begins with its CRD, and so after version 1, however young the server is.
    const watch = client.watch(widgets.resource, { namespace, resourceVersion: '1' });
    await expect(watch.then((events) => events.next())).rejects.toMatchObject({ code: 410, reason: 'Expired' });
  });
});

describe('behind a bad network', () => {
  it('waits as a busy server asks, and then gets through', async () => {
    await using proxy = await faultProxy(cluster.access);
    proxy.inject({ method: 'POST' }, { type: 'answer', code: 429, reason: 'TooManyRequests', retryAfterSeconds: 1 }, 2);
    const proxied = createKubeClient(proxy.access, { userAgent: 'spec/1' });
    await proxied.create(CONFIG_MAPS, configMap(namespace, fresh()));
    expect(proxy.requests.filter(({ method }) => method === 'POST')).toHaveLength(3);
    await proxied.close();
  });

  it('a create whose answer is lost is not sent twice', async () => {
    await using proxy = await faultProxy(cluster.access);
    const here = await cluster.namespace();
    proxy.inject({ method: 'POST', path: '/configmaps' }, { type: 'loseAnswer' }, 1);
    const proxied = createKubeClient(proxy.access, { userAgent: 'spec/1' });
    const unnamed: ConfigMap = { metadata: { namespace: here, generateName: 'lost-', labels: { app: 'spec' } } };
    await expect(proxied.create(CONFIG_MAPS, unnamed)).rejects.toMatchObject({ code: 0, reason: 'Unreachable' });
    expect((await client.list(CONFIG_MAPS, { namespace: here, labelSelector: OURS })).items).toHaveLength(1);
    expect(proxy.requests).toHaveLength(1);
    await proxied.close();
  });

  it('an apply whose answer is lost is sent again, to the same effect', async () => {
    await using proxy = await faultProxy(cluster.access);
    proxy.inject({ method: 'PATCH' }, { type: 'loseAnswer' }, 2);
    const proxied = createKubeClient(proxy.access, { userAgent: 'spec/1' });
    const name = fresh();
    await proxied.apply(CONFIG_MAPS, configMap(namespace, name, { a: '1' }));
    expect(await client.get(CONFIG_MAPS, { namespace, name })).toMatchObject({ data: { a: '1' } });
    expect(proxy.requests).toHaveLength(3);
    await proxied.close();
  });

  it('requests and watches go through a proxy, with TLS to the server', async () => {
    const proxy = await connectProxy();
    const through = createKubeClient({ ...cluster.access, proxy: proxy.url }, { userAgent: 'spec/1' });
    onTestFinished(() => through.close());
    const { items, resourceVersion } = await through.list(CONFIG_MAPS, { namespace: 'kube-system' });
    expect(items).not.toEqual([]);
    const watch = await through.watch(CONFIG_MAPS, { namespace, resourceVersion });
    await watch.return(undefined);
    expect(new Set(proxy.asked.map(({ target }) => target))).toEqual(new Set([new URL(cluster.access.server).host]));
  });

  it('a read outlives a server that is restarted', async () => {
    await using proxy = await faultProxy(cluster.access);
    const proxied = createKubeClient(proxy.access, { userAgent: 'spec/1' });
    await proxied.raw('/version');
    await proxy.goDown();
    const asked = proxied.raw('/version');
    await proxy.comeUp();
    expect(await asked).toMatchObject({ major: '1' });
    await proxied.close();
  });
});
