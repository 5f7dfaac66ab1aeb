/** A real Ray cluster: what it trains, and what becomes of it when a worker is lost and when it is suspended. */
import { RAY_CLUSTERS, type RayCluster } from '@muster/job-api';
import { eventually, TRAINING_TIMEOUT_MS } from '@muster/testing';
import { describe, expect, it } from 'vitest';
import { expectTraining, rayStage } from '../test-support/ray-stage.ts';

const stage = await rayStage();
const WORKERS = { 'ray.io/node-type': 'worker' };

describe('a RayCluster on a real node', { timeout: TRAINING_TIMEOUT_MS }, () => {
  it('trains on its head and two workers; a worker that is lost is replaced, and the training goes on', async () => {
    const { metadata } = await stage.example<RayCluster>('raycluster');
    const { name } = metadata;
    await stage.create('raycluster');
    await stage.clusterToBeReady(name);

    await stage.submit(name, 'training', 'python train.py --epoch-seconds 1');
    await stage.prints(name, 'training', /^epoch 1\//m);
    const [lost = '', kept = ''] = await stage.podNames(name, WORKERS);
    await stage.lose(lost);

    await stage.submittedToSucceed(name, 'training');
    expectTraining(await stage.printed(name, 'training'), 3);
    const workers = await stage.podNames(name, WORKERS);
    expect(workers).toHaveLength(2);
    expect(workers).toContain(kept);
    expect(workers).not.toContain(lost);
  });

  it('has no pods while it is suspended, and comes back with others', async () => {
    const { metadata } = await stage.example<RayCluster>('raycluster');
    const key = { namespace: stage.namespace, name: metadata.name };
    const former = await stage.podNames(key.name);

    await stage.client.patch(RAY_CLUSTERS, key, { spec: { suspend: true } });
    await stage.clusterToBe(key.name, ({ status }) => status?.state === 'suspended');
    expect(await stage.podStates(key.name)).toEqual({});

    await stage.client.patch(RAY_CLUSTERS, key, { spec: { suspend: false } });
    await stage.clusterToBeReady(key.name);
    const pods = await stage.podNames(key.name);
    expect(pods).toHaveLength(former.length);
    expect(pods.filter((pod) => former.includes(pod))).toEqual([]);
    await eventually(async () => (await stage.ask(key.name, '/api/version')).code === 200);
  });
});
