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

const fresh = (): string => `x-${randomUUID().slice(0, 8)}`;

describe('the verbs, on a real API server', () => {
  it('creates, gets and deletes an object', async () => {
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

  it('fails a create with AlreadyExists', async () => {
    const object = configMap(namespace, fresh());
    await client.create(CONFIG_MAPS, object);
    await expect(client.create(CONFIG_MAPS, object)).rejects.toMatchObject({ code: 409, reason: 'AlreadyExists' });
  });

  it('names the invalid field of a create', async () => {
    const widget: Widget = { metadata: { namespace, name: fresh() }, spec: { size: 11 } };
    await expect(client.create(widgets.resource, widget)).rejects.toMatchObject({
      reason: 'Invalid',
      message: expect.stringContaining('spec.size') as string,
    });
  });

  it('answers a dry run and stores nothing', async () => {
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

  it('requires the stored resourceVersion for replace', async () => {
    const created = await client.create(CONFIG_MAPS, configMap(namespace, fresh(), { a: '1' }));
    const replaced = await client.replace(CONFIG_MAPS, { ...created, data: { a: '2' } });
    expect(replaced.data).toEqual({ a: '2' });
    await expect(client.replace(CONFIG_MAPS, { ...created, data: { a: '3' } })).rejects.toMatchObject({
      code: 409,
      reason: 'Conflict',
    });
  });

  it('changes only the named fields by merge, JSON and strategic patches', async () => {
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

  it('changes only the status by a status patch, and conflicts on a stale resourceVersion', async () => {
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

  it('creates and changes by server-side apply, and keeps fields of other managers unless forced', async () => {
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

  it('does not delete another object of the same name if a uid is given', async () => {
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

  it('passes on the grace period of a delete', async () => {
    const name = fresh();
    const metadata = { namespace, name, finalizers: ['example.com/keep'] };
    await client.create(PODS, { metadata, spec: { containers: [{ name: 'c', image: 'i' }] } });
    await client.delete(PODS, { namespace, name }, { gracePeriodSeconds: 0 });
    expect((await client.get(PODS, { namespace, name })).metadata).toMatchObject({ deletionGracePeriodSeconds: 0 });
    await client.patch(PODS, { namespace, name }, { metadata: { finalizers: null } });
  });

  it('lists all pages, of one namespace and by selector', async () => {
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

  it('reads paths that are not objects by raw', async () => {
    expect(await client.raw('/version')).toMatchObject({ gitVersion: expect.stringMatching(/^v1\./) as string });
  });

  it('reports by hasResource whether a resource is served', async () => {
    const { group } = widgets.resource;
    expect(await hasResource(client, '', 'v1', 'pods')).toBe(true);
    expect(await hasResource(client, group, 'v1', 'widgets')).toBe(true);
    expect(await hasResource(client, group, 'v1', 'gadgets')).toBe(false);
    expect(await hasResource(client, group, 'v2', 'widgets')).toBe(false);
    expect(await hasResource(client, 'absent.example.com', 'v1', 'widgets')).toBe(false);
  });

  it('reports the message of the server to a user without rights', async () => {
    await expect(cluster.as('mallory').create(CONFIG_MAPS, configMap(namespace, 'stolen'))).rejects.toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message: `create configmaps "${namespace}/stolen": configmaps is forbidden: User "mallory" cannot create resource "configmaps" in API group "" in the namespace "${namespace}"`,
    });
  });
});

describe('a watch', () => {
  it('reports objects that are added, modified and deleted, and bookmarks', async () => {
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

  it('does not delay requests, however many watches there are', async () => {
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

  it('fails with Expired from a compacted resourceVersion', async () => {
    // The watch cache of a resource starts when its CRD is created, so after version 1 even on a new server.
    const watch = client.watch(widgets.resource, { namespace, resourceVersion: '1' });
    await expect(watch.then((events) => events.next())).rejects.toMatchObject({ code: 410, reason: 'Expired' });
  });
});

describe('behind a bad network', () => {
  it('waits as long as a busy server asks and then succeeds', async () => {
    await using proxy = await faultProxy(cluster.access);
    proxy.inject({ method: 'POST' }, { type: 'answer', code: 429, reason: 'TooManyRequests', retryAfterSeconds: 1 }, 2);
    const proxied = createKubeClient(proxy.access, { userAgent: 'spec/1' });
    await proxied.create(CONFIG_MAPS, configMap(namespace, fresh()));
    expect(proxy.requests.filter(({ method }) => method === 'POST')).toHaveLength(3);
    await proxied.close();
  });

  it('does not repeat a create whose answer is lost', async () => {
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

  it('repeats an apply whose answer is lost, with the same result', async () => {
    await using proxy = await faultProxy(cluster.access);
    proxy.inject({ method: 'PATCH' }, { type: 'loseAnswer' }, 2);
    const proxied = createKubeClient(proxy.access, { userAgent: 'spec/1' });
    const name = fresh();
    await proxied.apply(CONFIG_MAPS, configMap(namespace, name, { a: '1' }));
    expect(await client.get(CONFIG_MAPS, { namespace, name })).toMatchObject({ data: { a: '1' } });
    expect(proxy.requests).toHaveLength(3);
    await proxied.close();
  });

  it('sends requests and watches through a proxy, with TLS to the server', async () => {
    const proxy = await connectProxy();
    const through = createKubeClient({ ...cluster.access, proxy: proxy.url }, { userAgent: 'spec/1' });
    onTestFinished(() => through.close());
    const { items, resourceVersion } = await through.list(CONFIG_MAPS, { namespace: 'kube-system' });
    expect(items).not.toEqual([]);
    const watch = await through.watch(CONFIG_MAPS, { namespace, resourceVersion });
    await watch.return(undefined);
    expect(new Set(proxy.connects.map(({ target }) => target))).toEqual(new Set([new URL(cluster.access.server).host]));
  });

  it('repeats a read while the server is restarted', async () => {
    await using proxy = await faultProxy(cluster.access);
    const proxied = createKubeClient(proxy.access, { userAgent: 'spec/1' });
    await proxied.raw('/version');
    await proxy.goDown();
    const pending = proxied.raw('/version');
    await proxy.comeUp();
    expect(await pending).toMatchObject({ major: '1' });
    await proxied.close();
  });
});
