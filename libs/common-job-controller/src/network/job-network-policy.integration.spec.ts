import { NETWORK_POLICIES, PODS } from '@muster/job-api';
import { eventually, loneOperatorOptions, started, testCluster, TravelClock } from '@muster/testing';
import { Registry } from 'prom-client';
import { expect, it, onTestFinished } from 'vitest';
import { plainAdapter } from '../../test-support/plain-adapter.ts';
import { installPlainJobs } from '../../test-support/plain-crd.ts';
import { createJobOperator } from '../operator/job-operator.ts';
import { withNetworkPolicy } from './job-network-policy.ts';

const cluster = await testCluster();
const { client } = cluster;
const WITHIN_MS = 60_000;

it('the stored NetworkPolicy of a job equals the desired one and selects its pods', async () => {
  const namespace = await cluster.namespace();
  const resource = await installPlainJobs(cluster);
  const adapter = withNetworkPolicy({ ...plainAdapter({ workers: 2 }), resource }, 'DenyAll');
  const registry = new Registry();
  const noop = () => undefined;
  const options = loneOperatorOptions({
    client,
    namespaces: [namespace],
    serviceMode: 'PerJob',
    clock: new TravelClock(),
    logger: { debug: noop, info: noop, warn: noop, error: noop },
  });
  const operator = await started(createJobOperator({ ...options, adapters: [adapter], registry }), registry);
  onTestFinished(() => operator.stop());
  await client.create(resource, { metadata: { name: 'job', namespace }, spec: { runPolicy: {} } });

  const podsOf = async (labelSelector?: string) =>
    (await client.list(PODS, { namespace, ...(labelSelector && { labelSelector }) })).items.length;
  await eventually(async () => (await podsOf()) > 0, { withinMs: WITHIN_MS, describe: 'the job has pods' });
  const find = () => client.get(NETWORK_POLICIES, { namespace, name: 'job-plainjob' });
  const made = await find();
  const { matchLabels = {}, matchExpressions = [] } = made.spec?.podSelector ?? {};
  const selector = [
    ...Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`),
    ...matchExpressions.map(({ key, values = [] }) => `${key} in (${values.join(',')})`),
  ].join(',');
  await eventually(async () => (await podsOf(selector)) === (await podsOf()), { withinMs: WITHIN_MS });

  // A change by a user is reverted. So the earlier runs compared the policy and did not patch it.
  expect(made.metadata?.generation).toBe(1);
  await client.patch(NETWORK_POLICIES, { namespace, name: 'job-plainjob' }, { spec: { ingress: [{}] } });
  await eventually(async () => (await find()).metadata?.generation === 3, { withinMs: WITHIN_MS });
  expect((await find()).spec).toEqual(made.spec);
});
