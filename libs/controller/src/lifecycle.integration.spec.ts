import { EVENTS, LEASES, type Resource } from '@muster/job-api';
import { createInformer } from '@muster/kube';
import { Registry } from 'prom-client';
import { eventually } from '@muster/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RecordedLog } from '../test-support/recorded-log.ts';
import { TestNamespace } from '../test-support/test-namespace.ts';
import { Controller, type Reconcile } from './controller.ts';
import { EventRecorder } from './event-recorder.ts';
import { LeaderElector } from './leader-election.ts';
import { Lifecycle, type Component } from './lifecycle.ts';
import { objectReference } from './object-reference.ts';
import { WorkQueue } from './work-queue.ts';

const NAMESPACES: Resource = { group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false };

let api: TestNamespace;
beforeAll(async () => {
  api = await TestNamespace.create('lifecycle');
});
afterAll(() => api.delete());

/** A replica of an operator with the same components as in the operator host. */
function replica(identity: string, reconcile: Reconcile, stopDeadlineMs: number) {
  const registry = new Registry();
  const logger = new RecordedLog();
  const leases = createInformer(api.client, LEASES, {
    namespaces: [api.name],
    fieldSelector: 'metadata.name=operator',
  });
  const informers: Component = {
    name: 'informers',
    start(signal) {
      leases.start();
      return leases.waitForSync(signal);
    },
    stop: () => leases.stop(),
  };
  const queue = new WorkQueue({ name: 'jobs', registry });
  const elector = new LeaderElector({
    client: api.client,
    namespace: api.name,
    name: 'operator',
    identity,
    leases,
    onLost: (reason) => expect.unreachable(reason),
    registry,
    logger,
  });
  const recorder = new EventRecorder({ client: api.client, reportingController: 'muster.dev/test', registry, logger });
  const controller = new Controller({ name: 'jobs', reconcile, queue, registry, logger });
  const components = [informers, elector, recorder, controller];
  return { queue, elector, recorder, logger, lifecycle: new Lifecycle({ components, stopDeadlineMs, logger }) };
}

const holder = async (): Promise<string | undefined> =>
  (await api.client.get(LEASES, { namespace: api.name, name: 'operator' })).spec?.holderIdentity;

it('lets a second replica act only after the first has finished, written its events and released the Lease', async () => {
  const order: string[] = [];
  const gate = Promise.withResolvers<void>();
  const subject = objectReference(NAMESPACES, await api.client.get(NAMESPACES, { name: api.name }));
  const first = replica('first', finishSlowly, 20_000);
  async function finishSlowly(): Promise<void> {
    order.push('first begins');
    await gate.promise;
    first.recorder.record(subject, { type: 'Normal', reason: 'Drained', action: 'Stop', note: 'finished in time' });
    order.push('first ends');
  }
  const second = replica(
    'second',
    () => {
      order.push('second begins');
      return Promise.resolve();
    },
    20_000,
  );
  await first.lifecycle.start();
  const followed = second.lifecycle.start();
  for (const { queue } of [first, second]) queue.add('job');
  await eventually(() => order.length > 0 && second.elector.leader === 'first', {
    describe: 'the first works and the second follows',
  });

  const stopped = first.lifecycle.stop();
  expect(await holder()).toBe('first');
  expect(order).toEqual(['first begins']);
  gate.resolve();
  await stopped;
  await followed;
  await eventually(() => order.includes('second begins'), {
    describe: () => ({ expected: 'the second works', seen: second.logger.lines }),
  });
  expect(order).toEqual(['first begins', 'first ends', 'second begins']);
  expect(await holder()).toBe('second');
  const { items } = await api.client.list(EVENTS, { namespace: 'default' });
  expect(items.filter(({ regarding }) => regarding?.uid === subject.uid)).toMatchObject([{ note: 'finished in time' }]);
  await second.lifecycle.stop();
  expect(await holder()).toBeFalsy();
});

it('does not release the Lease while a reconcile that cannot be aborted continues', async () => {
  const stuck = replica('stuck', () => new Promise(() => undefined), 4000);
  await stuck.lifecycle.start();
  stuck.queue.add('job');
  await stuck.lifecycle.stop();
  expect(await holder()).toBe('stuck');
  expect(stuck.logger.at('error').map(({ fields }) => fields['component'])).toEqual(['jobs']);
});
