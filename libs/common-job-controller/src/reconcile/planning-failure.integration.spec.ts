import { EVENTS, PODS, type JobStatus } from '@muster/job-api';
import { isKubeError } from '@muster/kube';
import { eventually, installCrd, loneOperatorOptions, started, testCluster, TravelClock } from '@muster/testing';
import { JOBS, RUNTIME } from '@muster/metrics';
import { Registry } from 'prom-client';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { PLAIN_JOBS, plainAdapter } from '../../test-support/plain-adapter.ts';
import { plainJobCrd } from '../../test-support/plain-crd.ts';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import { createJobOperator } from '../operator/job-operator.ts';

const cluster = await testCluster();
const { client } = cluster;
const NAME = 'strange';

const adapter: FrameworkAdapter = {
  ...plainAdapter({}),
  pod: ({ metadata }) => {
    if (metadata.annotations?.['throws'] === 'yes') throw new TypeError('this.shape is not a function');
    return {};
  },
};

beforeAll(() => installCrd(client, plainJobCrd(PLAIN_JOBS)));

it('a job for which planning throws gets a condition, one event and one log line, and runs once it is changed', async () => {
  const namespace = await cluster.namespace();
  const errors: [string, object | undefined][] = [];
  const logger = {
    ...{ debug: () => {}, info: () => {}, warn: () => {} },
    error: (message: string, fields?: object) => void errors.push([message, fields]),
  };
  const clock = new TravelClock();
  const start = {
    client,
    namespaces: [namespace],
    resource: PLAIN_JOBS,
    serviceMode: 'PerJob',
    clock,
    logger,
  } as const;
  const registry = new Registry();
  const operator = await started(
    createJobOperator({ ...loneOperatorOptions(start), adapters: [adapter], registry }),
    registry,
  );
  onTestFinished(() => operator.stop());
  const key = { namespace, name: NAME };
  const failure = async () => {
    const { conditions = [] }: JobStatus = (await client.get(PLAIN_JOBS, key)).status ?? {};
    return conditions.find(({ type }) => type === 'ReplicaFailure');
  };
  const until = <T>(what: string, condition: () => Promise<T>) =>
    eventually(condition, { withinMs: 60_000, describe: async () => ({ what, errors, failure: await failure() }) });

  await client.create(PLAIN_JOBS, { metadata: { ...key, annotations: { throws: 'yes' } }, spec: {} });
  const reported = await until('the condition', failure);
  const waiting = async () => (await registry.getSingleMetric(JOBS.waiting.name)?.get())?.values;
  await until('the reason', async () => (await waiting())?.[0]?.labels['reason'] === 'PlanningFailed');
  expect(reported).toMatchObject({ status: 'True', reason: 'PlanningFailed' });
  expect(reported.message).toContain('this.shape is not a function');
  const eventsOf = async () => {
    const { items } = await client.list(EVENTS, { namespace });
    return items.filter(({ regarding, reason }) => regarding?.name === NAME && reason === 'PlanningFailed');
  };
  await until('the event', async () => (await eventsOf()).length > 0);

  for (const times of ['1', '2', '3']) {
    await client.patch(PLAIN_JOBS, key, { metadata: { annotations: { times } } });
    clock.advance(3_600_000);
  }
  await client.patch(PLAIN_JOBS, key, { metadata: { annotations: { throws: 'no' } } });
  await until('the pod', () =>
    client.get(PODS, { namespace, name: `${NAME}-worker-0` }).catch((error: unknown) => {
      if (!isKubeError(error, 'NotFound')) throw error;
      return undefined;
    }),
  );
  await until('no condition', async () => (await failure()) === undefined);
  const panics = await registry.getSingleMetric(RUNTIME.panics.name)?.get();
  expect(panics?.values).toMatchObject([{ labels: { controller: 'plainjob' } }]);
  // Counted each time that planning throws, even without an event.
  expect(panics?.values[0]?.value).toBeGreaterThan(1);
  expect((await eventsOf()).map(({ type, series }) => [type, series?.count ?? 1])).toEqual([['Warning', 1]]);
  expect(errors.map(([, fields]) => fields)).toMatchObject([
    { stack: expect.stringContaining('TypeError: this.shape is not a function') as string },
  ]);
});
