import type { KubeObject, Resource } from '@muster/job-api';
import { createInformer, isKubeError, cacheKey, type Informer } from '@muster/kube';
import { Registry } from 'prom-client';
import { eventually } from '@muster/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { metricValue } from '../test-support/metric-value.ts';
import { RecordedLog } from '../test-support/recorded-log.ts';
import { TestNamespace } from '../test-support/test-namespace.ts';
import { Controller, type Reconcile } from './controller.ts';
import { Lifecycle, type Component } from './lifecycle.ts';
import { TerminalError } from './terminal-error.ts';
import { WorkQueue } from './work-queue.ts';

interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}
const CONFIG_MAPS: Resource<ConfigMap> = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
};

let api: TestNamespace;
let sources: Informer<ConfigMap>;
let lifecycle: Lifecycle | undefined;
let registry: Registry;
let log: RecordedLog;

beforeAll(async () => {
  api = await TestNamespace.create('controller');
});
afterAll(() => api.delete());
beforeEach(() => {
  registry = new Registry();
  log = new RecordedLog();
});
afterEach(async () => {
  await lifecycle?.stop();
  const { items } = await api.client.list(CONFIG_MAPS, { namespace: api.name });
  for (const { metadata } of items)
    await api.client.delete(CONFIG_MAPS, { namespace: api.name, name: metadata?.name ?? '' });
});

const keyOf = (name: string) => ({ namespace: api.name, name });
const read = (name: string): Promise<ConfigMap> => api.client.get(CONFIG_MAPS, keyOf(name));
const create = (name: string, data: Record<string, string>): Promise<ConfigMap> =>
  api.client.create(CONFIG_MAPS, { metadata: { ...keyOf(name), labels: { role: 'source' } }, data });
const count = (name: string, labels: Record<string, string> = {}): Promise<number | undefined> =>
  metricValue(registry, `controller_runtime_${name}`, { controller: 'copy', ...labels });

/** A controller with the informer `sources`, for ConfigMaps. */
async function run(reconcile: Reconcile, stopDeadlineMs = 10_000): Promise<void> {
  sources = createInformer(api.client, CONFIG_MAPS, {
    namespaces: [api.name],
    labelSelector: 'role=source',
    freeze: true,
  });
  const queue = new WorkQueue({ name: 'copy', registry });
  const informers: Component = {
    name: 'informers',
    start(signal) {
      sources.start();
      return sources.waitForSync(signal);
    },
    stop: () => sources.stop(),
  };
  const add = (object: ConfigMap): void => queue.add(cacheKey(object));
  sources.subscribe({ added: add, updated: (_before, after) => add(after), deleted: add });
  const controller = new Controller({ name: 'copy', reconcile, queue, registry, logger: log });
  lifecycle = new Lifecycle({ components: [informers, controller], stopDeadlineMs, logger: log });
  await lifecycle.start();
}

/** Keeps a ConfigMap `<name>-copy` with the data of each source. */
const copy: Reconcile = async (key, { signal }) => {
  const source = sources.get(key);
  const name = `${key.slice(key.indexOf('/') + 1)}-copy`;
  try {
    if (source === undefined) await api.client.delete(CONFIG_MAPS, keyOf(name), { signal });
    else
      await api.client.apply(CONFIG_MAPS, { metadata: keyOf(name), data: source.data ?? {} }, { signal, force: true });
  } catch (error) {
    if (!isKubeError(error, 'NotFound')) throw error;
  }
};

describe('a Controller on a real API server', () => {
  it('reconciles objects that existed before, are created, changed and deleted', async () => {
    await create('before', { value: '1' });
    await run(copy);
    await create('later', { value: '2' });
    await eventually(
      async () => {
        const { items } = await api.client.list(CONFIG_MAPS, { namespace: api.name });
        return ['before-copy', 'later-copy'].every((name) => items.some(({ metadata }) => metadata?.name === name));
      },
      { describe: 'both are copied' },
    );
    await api.client.patch(CONFIG_MAPS, keyOf('later'), { data: { value: '3' } });
    await eventually(async () => (await read('later-copy')).data?.['value'] === '3', {
      describe: 'the change is copied',
    });
    await api.client.delete(CONFIG_MAPS, keyOf('before'));
    await eventually(
      async () => {
        const { items } = await api.client.list(CONFIG_MAPS, { namespace: api.name });
        return !items.some(({ metadata }) => metadata?.name === 'before-copy');
      },
      { describe: 'the copy is gone' },
    );
    expect(await count('reconcile_errors_total')).toBe(0);
    expect(log.at('error')).toEqual([]);
  });

  it('retries after a conflict, without an error in log or metrics', async () => {
    let disturbed = false;
    await run(async (key, { signal }) => {
      const seen = sources.get(key);
      if (seen === undefined || seen.data?.['done'] === 'yes') return;
      if (!disturbed) {
        disturbed = true;
        await api.client.patch(CONFIG_MAPS, keyOf('contested'), { data: { other: 'writer' } });
      }
      await api.client.replace(CONFIG_MAPS, { ...seen, data: { ...seen.data, done: 'yes' } }, { signal });
    });
    await create('contested', { value: '1' });
    await eventually(async () => (await read('contested')).data?.['done'] === 'yes', { describe: 'it is done' });
    expect((await read('contested')).data).toEqual({ value: '1', other: 'writer', done: 'yes' });
    expect(await count('reconcile_total', { result: 'requeue' })).toBeGreaterThanOrEqual(1);
    expect(await count('reconcile_errors_total')).toBe(0);
    expect(log.at('error')).toEqual([]);
  });

  it('does not retry after a terminal error until the object changes', async () => {
    const seen: (string | undefined)[] = [];
    await run((key) => {
      const value = sources.get(key)?.data?.['value'];
      seen.push(value);
      return value === 'bad' ? Promise.reject(new TerminalError('data.value: must be good')) : Promise.resolve();
    });
    await create('mistaken', { value: 'bad' });
    await eventually(() => seen.length === 1, { describe: 'it was seen' });
    // A retry would have happened before these are done.
    for (let i = 0; i < 20; i += 1) await create(`next-${i}`, { value: 'good' });
    await eventually(() => seen.filter((value) => value === 'good').length === 20, {
      describe: 'the others were seen',
    });
    expect(seen.filter((value) => value === 'bad')).toHaveLength(1);
    expect(await count('terminal_reconcile_errors_total')).toBe(1);
    await api.client.patch(CONFIG_MAPS, keyOf('mistaken'), { data: { value: 'corrected' } });
    await eventually(() => seen.includes('corrected'), { describe: 'the correction is seen' });
  });

  it('finishes running reconciles when it is stopped, and starts no others', async () => {
    const gate = Promise.withResolvers<void>();
    const begun: string[] = [];
    await run(async (key, context) => {
      begun.push(key);
      await gate.promise;
      await copy(key, context);
    });
    await create('in-flight', { value: '1' });
    await eventually(() => begun.length === 1, { describe: 'it is being reconciled' });
    const stopped = lifecycle?.stop();
    await create('too-late', { value: '2' });
    gate.resolve();
    await stopped;
    expect((await read('in-flight-copy')).data).toEqual({ value: '1' });
    expect(begun).toEqual([cacheKey({ metadata: keyOf('in-flight') })]);
  });
});
