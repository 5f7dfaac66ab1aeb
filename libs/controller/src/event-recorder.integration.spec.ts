import { EVENTS, type Event, type KubeObject, type Resource } from '@muster/job-api';
import { Registry } from 'prom-client';
import { eventually } from '@muster/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RecordedLog } from '../test-support/recorded-log.ts';
import { TcpCable } from '../test-support/tcp-cable.ts';
import { TestNamespace } from '../test-support/test-namespace.ts';
import { ManualClock } from './clock.ts';
import { EventRecorder, type EventRecorderOptions } from './event-recorder.ts';
import { objectReference, type ObjectReference } from './object-reference.ts';

interface CoreEvent extends KubeObject {
  involvedObject: ObjectReference;
  message: string;
  type: string;
  reason: string;
  reportingComponent: string;
  series?: { count: number };
}
const CONFIG_MAPS: Resource = { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true };
const NAMESPACES: Resource = { group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false };
const CORE_EVENTS: Resource<CoreEvent> = {
  group: '',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  namespaced: true,
};

let api: TestNamespace;
let objects = 0;
beforeAll(async () => {
  api = await TestNamespace.create('event-recorder');
});
afterAll(() => api.delete());

function setUp(change: Partial<EventRecorderOptions> = {}) {
  const log = new RecordedLog();
  const recorder = new EventRecorder({
    client: api.client,
    reportingController: 'muster.dev/test',
    reportingInstance: 'test-0',
    registry: new Registry(),
    logger: log,
    ...change,
  });
  return { log, recorder };
}

async function someObject(): Promise<ObjectReference> {
  const metadata = { name: `object-${(objects += 1)}`, namespace: api.name };
  return objectReference(CONFIG_MAPS, await api.client.create(CONFIG_MAPS, { metadata }));
}

async function eventsOf(object: ObjectReference): Promise<Event[]> {
  const { items } = await api.client.list(EVENTS, { namespace: object.namespace ?? 'default' });
  return items.filter((event) => event.regarding?.uid === object.uid);
}

const created = { type: 'Normal', reason: 'PodCreated', action: 'Create', note: 'created pod a-worker-0' } as const;

describe('EventRecorder', () => {
  it('writes events that kubectl describe finds and shows', async () => {
    const { recorder } = setUp();
    const object = await someObject();
    recorder.start();
    recorder.record(object, { ...created, type: 'Warning', related: await someObject() });
    await recorder.stop(10_000);
    // As kubectl describe does.
    const { items } = await api.client.list(CORE_EVENTS, {
      namespace: api.name,
      fieldSelector: [
        `involvedObject.name=${object.name}`,
        `involvedObject.namespace=${object.namespace}`,
        'involvedObject.kind=ConfigMap',
        `involvedObject.uid=${object.uid}`,
      ].join(),
    });
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({
      involvedObject: { apiVersion: 'v1', kind: 'ConfigMap', name: object.name, uid: object.uid },
      message: 'created pod a-worker-0',
      type: 'Warning',
      reason: 'PodCreated',
      reportingComponent: 'muster.dev/test',
    });
    expect(items[0]?.metadata?.name).toMatch(new RegExp(`^${object.name}\\.[0-9a-f]+$`));
  });

  it('counts repetitions in one event, and writes the last count', async () => {
    const { recorder } = setUp();
    const object = await someObject();
    recorder.start();
    recorder.record(object, created);
    await eventually(async () => (await eventsOf(object)).length === 1, { describe: 'the first is written' });
    for (let i = 0; i < 6; i += 1) recorder.record(object, created);
    await recorder.stop(10_000);
    const events = await eventsOf(object);
    expect(events.map((event) => event.series?.count)).toEqual([7]);
  });

  it('continues counting in a new event when the old one has expired', async () => {
    const { recorder } = setUp();
    const object = await someObject();
    recorder.start();
    recorder.record(object, created);
    await eventually(async () => (await eventsOf(object)).length === 1, { describe: 'the first is written' });
    const [first] = await eventsOf(object);
    await api.client.delete(EVENTS, { namespace: api.name, name: first?.metadata?.name ?? '' });
    recorder.record(object, created);
    await recorder.stop(10_000);
    expect((await eventsOf(object)).map((event) => event.series?.count)).toEqual([2]);
  });

  it("truncates a note to the API server's limit, between characters", async () => {
    const { recorder } = setUp();
    const object = await someObject();
    recorder.start();
    recorder.record(object, { ...created, note: 'ü'.repeat(2000) });
    for (let i = 0; i < 12; i += 1)
      recorder.record(object, { ...created, type: 'Warning', note: `${i}${'ü'.repeat(2000)}` });
    await recorder.stop(10_000);
    const notes = (await eventsOf(object)).map((event) => event.note ?? '');
    expect(notes).toHaveLength(11);
    for (const note of notes) expect(note).toMatch(/^[^�]*ü…$/);
    expect(notes.filter((note) => note.startsWith('(combined from similar events): '))).toHaveLength(1);
  });

  it('writes events about cluster-scoped objects and objects with the longest names', async () => {
    const { recorder, log } = setUp();
    const namespace = objectReference(NAMESPACES, await api.client.get(NAMESPACES, { name: api.name }));
    const metadata = { name: `${'n'.repeat(240)}.${'m'.repeat(12)}`, namespace: api.name };
    const longest = objectReference(CONFIG_MAPS, await api.client.create(CONFIG_MAPS, { metadata }));
    recorder.start();
    recorder.record(namespace, created);
    recorder.record(longest, created);
    await recorder.stop(10_000);
    expect(await eventsOf(namespace)).toHaveLength(1);
    expect(await eventsOf(longest)).toHaveLength(1);
    expect(log.lines).toEqual([]);
  });

  it('drops an event that the API server refuses, logs it once, and continues', async () => {
    const { recorder, log } = setUp();
    const object = await someObject();
    recorder.start();
    recorder.record(object, { ...created, action: '' });
    recorder.record(object, created);
    await recorder.stop(10_000);
    expect(await eventsOf(object)).toHaveLength(1);
    expect(log.at('warn').map(({ message }) => message)).toEqual(['an event could not be written and is dropped']);
  });

  it('logs no warning about events in a namespace that is terminating or deleted', async () => {
    const { recorder, log } = setUp();
    recorder.start();
    recorder.record({ kind: 'ConfigMap', name: 'a', namespace: 'no-such-namespace', uid: '1' }, created);
    await recorder.stop(10_000);
    expect(log.at('debug')).toHaveLength(1);
    expect(log.at('warn')).toEqual([]);
  });

  it('never blocks its caller, bounds its queue, and stops at the deadline without an API server', async () => {
    const cable = new TcpCable(api.access.server);
    const client = api.connect(await cable.open());
    cable.pull();
    const { recorder, log } = setUp({ client });
    recorder.start();
    for (let i = 0; i < 3000; i += 1)
      recorder.record({ kind: 'ConfigMap', name: `o-${i}`, namespace: api.name }, created);
    expect(log.at('warn').map(({ fields }) => fields)).toEqual([{ limit: 1000 }]);
    await recorder.stop(50);
    expect(log.at('warn').at(-1)?.message).toBe('events were not written in time and are dropped');
    cable.close();
    await client.close();
  });

  it('retries when the API server is back', async () => {
    const clock = new ManualClock();
    const unreachable = api.connect('https://127.0.0.1:1');
    let client = unreachable;
    const switching: EventRecorderOptions['client'] = {
      create: (resource, object, options) => client.create(resource, object, options),
      patch: (resource, key, patch, options) => client.patch(resource, key, patch, options),
    };
    const { recorder } = setUp({ client: switching, clock });
    const object = await someObject();
    recorder.start();
    recorder.record(object, created);
    await eventually(() => clock.pendingTimers > 0, { describe: 'the first try failed' });
    client = api.client;
    clock.advance(1000);
    await eventually(async () => (await eventsOf(object)).length === 1, { describe: 'it is written' });
    await recorder.stop(10_000);
    await unreachable.close();
  });
});
