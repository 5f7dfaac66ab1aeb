import { CUSTOM_RESOURCE_DEFINITIONS, type KubeObject, type Resource } from '@muster/job-api';
import { eventually, faultProxy, installCrd, testCluster } from '@muster/testing';
import { WATCHES } from '@muster/metrics';
import { Registry } from 'prom-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ConfigMap, CONFIG_MAPS, configMap, OURS } from '../test-support/config-maps.ts';
import { widgetCrd } from '../test-support/widget-crd.ts';
import type { ClusterClient } from './client.ts';
import type { ClusterAccess } from './cluster-access.ts';
import { createKubeClient } from './http-client.ts';
import { createInformer, type Informer, type InformerOptions } from './informer.ts';
import type { Logger } from './logger.ts';

const cluster = await testCluster();
const { client } = cluster;

/** Registered before the informers, so closed after them. */
function connect(access: ClusterAccess): ClusterClient {
  const proxied = createKubeClient(access, { userAgent: 'spec/1' });
  onTestFinished(() => proxied.close());
  return proxied;
}

async function startInformer<T extends KubeObject>(
  source: ClusterClient,
  resource: Resource<T>,
  options: InformerOptions<T>,
): Promise<Informer<T>> {
  const informer = createInformer(source, resource, { freeze: true, ...options });
  informer.start();
  onTestFinished(() => informer.stop());
  await informer.waitForSync(AbortSignal.timeout(30_000));
  return informer;
}

const names = (objects: readonly KubeObject[]): string[] => objects.map(({ metadata }) => metadata?.name ?? '').sort();

function record(informer: Informer<ConfigMap>): string[] {
  const calls: string[] = [];
  informer.subscribe({
    added: ({ metadata, data }) => calls.push(`+${metadata?.name} ${data?.['v'] ?? ''}`.trim()),
    updated: (before, { metadata, data }) => calls.push(`~${metadata?.name} ${before.data?.['v']}>${data?.['v']}`),
    deleted: ({ metadata }) => calls.push(`-${metadata?.name}`),
  });
  return calls;
}

async function restarts(registry: Registry): Promise<Record<string, number>> {
  const text = await registry.getSingleMetricAsString(WATCHES.restarts.name);
  const series = text.matchAll(/^muster_watch_restarts_total\{resource="configmaps",reason="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries(Array.from(series, ([, reason = '', value]) => [reason, Number(value)]));
}

async function caughtUp(informer: Informer<ConfigMap>, namespace: string): Promise<void> {
  const versions = (objects: readonly ConfigMap[]) =>
    objects.map(({ metadata }) => `${metadata?.name}@${metadata?.resourceVersion}`).sort();
  const stored = versions((await client.list(CONFIG_MAPS, { namespace, labelSelector: OURS })).items);
  await eventually(() => expect(versions(informer.list())).toEqual(stored) ?? true, {
    withinMs: 30_000,
    describe: 'the cache has what the server has',
  });
}

describe('an informer', () => {
  it('has the existing objects, follows changes, and calls its handlers in order', async () => {
    const namespace = await cluster.namespace();
    await client.create(CONFIG_MAPS, configMap(namespace, 'a', { v: '1' }));
    const informer = await startInformer(client, CONFIG_MAPS, { namespaces: [namespace], labelSelector: OURS });
    expect(informer.synced).toBe(true);
    const calls = record(informer);
    expect(calls).toEqual(['+a 1']);

    const key = { namespace, name: 'a' };
    await client.patch(CONFIG_MAPS, key, { data: { v: '2' } });
    await client.create(CONFIG_MAPS, configMap(namespace, 'b', { v: '1' }));
    await client.delete(CONFIG_MAPS, key);
    await eventually(() => calls.length === 4, { describe: () => calls });
    expect(calls).toEqual(['+a 1', '~a 1>2', '+b 1', '-a']);
    expect(informer.get(`${namespace}/b`)).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1', data: { v: '1' } });
    expect(informer.get(`${namespace}/a`)).toBeUndefined();
    expect(informer.problem).toBeUndefined();
  });

  it('keeps the trimmed object, without managedFields, and finds it by index', async () => {
    const namespace = await cluster.namespace();
    await client.create(CONFIG_MAPS, configMap(namespace, 'listed', { colour: 'red', long: 'x' }));
    const informer = await startInformer(client, CONFIG_MAPS, {
      namespaces: [namespace],
      labelSelector: OURS,
      trim: ({ metadata, data }) => ({ ...(metadata && { metadata }), data: { colour: data?.['colour'] ?? '' } }),
      indexes: { colour: ({ data }) => [data?.['colour'] ?? ''] },
    });
    await client.create(CONFIG_MAPS, configMap(namespace, 'watched', { colour: 'red', long: 'x' }));
    await eventually(() => informer.byIndex('colour', 'red').length === 2);
    for (const object of informer.list()) {
      expect(object.data).toEqual({ colour: 'red' });
      expect(object.metadata).not.toHaveProperty('managedFields');
      expect(() => Object.assign(object.metadata ?? {}, { name: 'changed' })).toThrow(TypeError);
    }
    await client.patch(CONFIG_MAPS, { namespace, name: 'listed' }, { data: { colour: 'blue' } });
    await eventually(() => informer.byIndex('colour', 'blue').length === 1);
    expect(names(informer.byIndex('colour', 'red'))).toEqual(['watched']);
  });

  it('drops objects that no longer match its selector', async () => {
    const namespace = await cluster.namespace();
    await client.create(CONFIG_MAPS, configMap(namespace, 'a'));
    const informer = await startInformer(client, CONFIG_MAPS, { namespaces: [namespace], labelSelector: OURS });
    const calls = record(informer);
    await client.patch(CONFIG_MAPS, { namespace, name: 'a' }, { metadata: { labels: { app: 'other' } } });
    await eventually(() => calls.length === 2, { describe: () => calls });
    expect(calls).toEqual(['+a', '-a']);
  });

  it('has only objects accepted by keep, and drops those that are no longer accepted', async () => {
    const namespace = await cluster.namespace();
    await client.create(CONFIG_MAPS, configMap(namespace, 'a', { colour: 'red' }));
    await client.create(CONFIG_MAPS, configMap(namespace, 'b', { colour: 'blue' }));
    const keep = ({ data }: ConfigMap) => data?.['colour'] === 'red';
    const informer = await startInformer(client, CONFIG_MAPS, { namespaces: [namespace], labelSelector: OURS, keep });
    const calls = record(informer);
    expect(names(informer.list())).toEqual(['a']);
    await client.patch(CONFIG_MAPS, { namespace, name: 'a' }, { data: { colour: 'blue' } });
    await client.patch(CONFIG_MAPS, { namespace, name: 'b' }, { data: { colour: 'red' } });
    await eventually(() => calls.length === 3, { describe: () => calls });
    expect(calls.map((line) => line.split(' ')[0])).toEqual(['+a', '-a', '+b']);
  });

  it('watches several namespaces, and no others', async () => {
    const [one, two, three] = await Promise.all([cluster.namespace(), cluster.namespace(), cluster.namespace()]);
    const informer = await startInformer(client, CONFIG_MAPS, { namespaces: [one, two], labelSelector: OURS });
    await client.create(CONFIG_MAPS, configMap(three, 'c'));
    await client.create(CONFIG_MAPS, configMap(two, 'b'));
    await client.create(CONFIG_MAPS, configMap(one, 'a'));
    await eventually(() => informer.list().length === 2, { describe: () => names(informer.list()) });
    expect(names(informer.list())).toEqual(['a', 'b']);
  });

  it('logs a handler that throws and continues', async () => {
    const namespace = await cluster.namespace();
    const errors: unknown[] = [];
    const nothing = (): void => undefined;
    const logger: Logger = {
      debug: nothing,
      info: nothing,
      warn: nothing,
      error: (_, fields) => errors.push(fields?.['error']),
    };
    const informer = await startInformer(client, CONFIG_MAPS, { namespaces: [namespace], labelSelector: OURS, logger });
    const fault = new Error('a bug');
    informer.subscribe({
      added() {
        throw fault;
      },
    });
    const calls = record(informer);
    await client.create(CONFIG_MAPS, configMap(namespace, 'a'));
    await client.create(CONFIG_MAPS, configMap(namespace, 'b'));
    await eventually(() => calls.length === 2, { describe: () => calls });
    expect(errors).toEqual([fault, fault]);
  });

  it('calls no handler after unsubscribe and stop', async () => {
    const namespace = await cluster.namespace();
    await using proxy = await faultProxy(cluster.access);
    const proxied = createKubeClient(proxy.access, { userAgent: 'spec/1' });
    const informer = createInformer(proxied, CONFIG_MAPS, { namespaces: [namespace], labelSelector: OURS });
    informer.start();
    await informer.waitForSync();
    const calls: string[] = [];
    const unsubscribe = informer.subscribe({ added: ({ metadata }) => calls.push(metadata?.name ?? '') });
    const laterEvents = record(informer);
    unsubscribe();
    await client.create(CONFIG_MAPS, configMap(namespace, 'a'));
    await eventually(() => laterEvents.length === 1);
    expect(calls).toEqual([]);
    await informer.stop();
    await eventually(() => proxy.openWatches === 0, { describe: 'the watch is closed' });
    expect(names(informer.list())).toEqual(['a']);
    await proxied.close();
  });
});

describe('an informer behind a bad network', () => {
  it('misses no change when its watch is cut again and again, also within lines', async () => {
    const namespace = await cluster.namespace();
    await using proxy = await faultProxy(cluster.access);
    const informer = await startInformer(connect(proxy.access), CONFIG_MAPS, {
      namespaces: [namespace],
      labelSelector: OURS,
    });
    const calls = record(informer);
    proxy.inject({ watch: true }, { type: 'cut', afterEvents: 3 }, 4);
    proxy.inject({ watch: true }, { type: 'cut', afterEvents: 2, midLine: true }, 4);
    proxy.cutWatches();
    const count = 40;
    for (let i = 0; i < count; i++) await client.create(CONFIG_MAPS, configMap(namespace, `m${i}`, { v: 'ä€😀' }));
    await eventually(() => calls.length >= count, { withinMs: 30_000, describe: () => ({ calls: calls.length }) });
    expect(calls.toSorted()).toEqual(Array.from({ length: count }, (_, i) => `+m${i} ä€😀`).sort());
    // The watch was resumed without a new list.
    expect(proxy.requests.filter(({ method, watch }) => method === 'GET' && !watch)).toHaveLength(1);
    expect(proxy.requests.filter(({ watch }) => watch).length).toBeGreaterThan(8);
    await informer.stop();
  });

  it('catches up after an outage of the server, and reports the outage meanwhile', async () => {
    const namespace = await cluster.namespace();
    await using proxy = await faultProxy(cluster.access);
    const informer = await startInformer(connect(proxy.access), CONFIG_MAPS, {
      namespaces: [namespace],
      labelSelector: OURS,
    });
    await eventually(() => proxy.openWatches === 1);
    await proxy.goDown();
    await client.create(CONFIG_MAPS, configMap(namespace, 'meanwhile'));
    await eventually(() => informer.problem?.message.includes('ECONNREFUSED'), {
      describe: () => informer.problem?.message,
    });
    expect(informer.problem).toMatchObject({ reason: 'Unreachable', code: 0 });
    expect(informer.synced).toBe(true);
    await proxy.comeUp();
    await caughtUp(informer, namespace);
    await eventually(() => informer.problem === undefined, { describe: () => informer.problem?.message });
    await informer.stop();
  });

  it('lists again after its resourceVersion expired, and reports only deleted and changed objects', async () => {
    const namespace = await cluster.namespace();
    for (const name of ['kept', 'changed', 'vanished', 'reborn']) {
      await client.create(CONFIG_MAPS, configMap(namespace, name, { v: '1' }));
    }
    await using proxy = await faultProxy(cluster.access);
    const registry = new Registry();
    const informer = await startInformer(connect(proxy.access), CONFIG_MAPS, {
      namespaces: [namespace],
      labelSelector: OURS,
      registry,
    });
    expect(await restarts(registry)).toEqual({ expired: 0, error: 0, stalled: 0 });
    const calls = record(informer);
    calls.length = 0;
    await eventually(() => proxy.openWatches === 1);
    proxy.inject({ watch: true }, { type: 'answer', code: 410, reason: 'Expired' }, 1);
    await proxy.goDown();
    await client.patch(CONFIG_MAPS, { namespace, name: 'changed' }, { data: { v: '2' } });
    await client.delete(CONFIG_MAPS, { namespace, name: 'vanished' });
    await client.delete(CONFIG_MAPS, { namespace, name: 'reborn' });
    await client.create(CONFIG_MAPS, configMap(namespace, 'reborn', { v: '2' }));
    await client.create(CONFIG_MAPS, configMap(namespace, 'new'));
    await proxy.comeUp();
    await caughtUp(informer, namespace);
    expect(calls.toSorted()).toEqual(['+new', '+reborn 2', '-reborn', '-vanished', '~changed 1>2']);
    expect(calls.indexOf('-reborn')).toBeLessThan(calls.indexOf('+reborn 2'));
    const { expired, error = 0, stalled } = await restarts(registry);
    expect({ expired, stalled }).toEqual({ expired: 1, stalled: 0 });
    // Errors while the server was down.
    expect(error).toBeGreaterThan(0);
    await informer.stop();
  });

  it('cuts a connection without data and resumes', async () => {
    const namespace = await cluster.namespace();
    await using proxy = await faultProxy(cluster.access);
    const registry = new Registry();
    const informer = await startInformer(connect(proxy.access), CONFIG_MAPS, {
      namespaces: [namespace],
      labelSelector: OURS,
      silenceLimitMs: 1000,
      registry,
    });
    await eventually(() => proxy.openWatches === 1);
    proxy.stallWatches();
    await client.create(CONFIG_MAPS, configMap(namespace, 'unheard'));
    await caughtUp(informer, namespace);
    const { expired, error, stalled = 0 } = await restarts(registry);
    expect({ expired, error }).toEqual({ expired: 0, error: 0 });
    expect(stalled).toBeGreaterThan(0);
    await informer.stop();
  });

  it('continues after watches were refused for a while, with errors or busy answers', async () => {
    const namespace = await cluster.namespace();
    await using proxy = await faultProxy(cluster.access);
    proxy.inject({ watch: true }, { type: 'answer', code: 500, reason: 'InternalError' }, 1);
    proxy.inject({ watch: true }, { type: 'answer', code: 429, reason: 'TooManyRequests', retryAfterSeconds: 1 }, 1);
    proxy.inject({ watch: true }, { type: 'refuse' }, 1);
    const informer = await startInformer(connect(proxy.access), CONFIG_MAPS, {
      namespaces: [namespace],
      labelSelector: OURS,
    });
    await eventually(() => informer.problem?.message.includes('injected 500'), {
      describe: () => informer.problem?.message,
    });
    await client.create(CONFIG_MAPS, configMap(namespace, 'a'));
    await caughtUp(informer, namespace);
    await eventually(() => informer.problem === undefined, { describe: () => informer.problem?.message });
    await informer.stop();
  });
});

describe('the problem of an informer', () => {
  it('is a missing CRD until it is installed', async () => {
    const { crd, resource } = widgetCrd();
    const namespace = await cluster.namespace();
    const informer = createInformer(client, resource, { namespaces: [namespace] });
    informer.start();
    onTestFinished(() => informer.stop());
    const problem = await eventually(() => informer.problem);
    expect(problem).toMatchObject({
      reason: 'NotFound',
      message: `list widgets.${resource.group} in "${namespace}": the server does not serve this resource; install its CRD, or check the API version`,
    });
    expect(informer.synced).toBe(false);
    await expect(informer.waitForSync(AbortSignal.abort(new Error('gave up')))).rejects.toThrow('gave up');

    await installCrd(client, crd);
    onTestFinished(() => client.delete(CUSTOM_RESOURCE_DEFINITIONS, { name: crd.metadata?.name ?? '' }));
    await informer.waitForSync(AbortSignal.timeout(30_000));
    await eventually(() => informer.problem === undefined, { describe: () => informer.problem?.message });
    await client.create(resource, { metadata: { namespace, name: 'w' } });
    await eventually(() => informer.list().length === 1);
  });

  it('is a missing right to list until it is granted', async () => {
    const namespace = await cluster.namespace();
    const user = `watcher-${namespace}`;
    const informer = createInformer(cluster.as(user), CONFIG_MAPS, { namespaces: [namespace], labelSelector: OURS });
    informer.start();
    onTestFinished(() => informer.stop());
    const problem = await eventually(() => informer.problem);
    expect(problem).toMatchObject({
      reason: 'Forbidden',
      message: `list configmaps in "${namespace}": configmaps is forbidden: User "${user}" cannot list resource "configmaps" in API group "" in the namespace "${namespace}"`,
    });
    await allowToView(namespace, user);
    await informer.waitForSync(AbortSignal.timeout(30_000));
    await eventually(() => informer.problem === undefined, { describe: () => informer.problem?.message });
  });
});

async function allowToView(namespace: string, user: string): Promise<void> {
  const apiGroup = 'rbac.authorization.k8s.io';
  const bindings: Resource = {
    group: apiGroup,
    version: 'v1',
    kind: 'RoleBinding',
    plural: 'rolebindings',
    namespaced: true,
  };
  const binding = {
    metadata: { namespace, name: 'viewer' },
    roleRef: { apiGroup, kind: 'ClusterRole', name: 'view' },
    subjects: [{ apiGroup, kind: 'User', name: user }],
  };
  await client.create(bindings, binding);
}
