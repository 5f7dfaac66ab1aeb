/** Ray's autoscaler in a real head pod: it adds a worker for a pending task, and removes it when it is idle. */
import { RAY_CLUSTERS, type RayCluster } from '@muster/job-api';
import { TRAINING_TIMEOUT_MS } from '@muster/testing';
import { describe, expect, it } from 'vitest';
import { expectTraining, rayFixture } from '../test-support/ray-fixture.ts';

const fixture = await rayFixture();
const WORKERS = { 'ray.io/node-type': 'worker' };

describe('a RayCluster with an autoscaler on a real node', { timeout: TRAINING_TIMEOUT_MS }, () => {
  it('gets a worker for a pending task, and deletes it when it is idle', async () => {
    const { metadata } = await fixture.example<RayCluster>('autoscaler');
    const { name } = metadata;
    await fixture.create('autoscaler');
    await fixture.clusterToBeReady(name);
    expect(await fixture.podNames(name, WORKERS)).toEqual([]);

    await fixture.submit(name, 'training', 'python train.py --workers 1');
    await fixture.submittedToSucceed(name, 'training');
    expectTraining(await fixture.printed(name, 'training'), 1);

    await fixture.clusterToBe(name, ({ spec, status }) => {
      return spec.workerGroupSpecs?.[0]?.replicas === 0 && status?.desiredWorkerReplicas === 0;
    });
    await fixture.workersToBe(name, []);
    const { spec } = await fixture.client.get(RAY_CLUSTERS, { namespace: fixture.namespace, name });
    // The autoscaler names the worker to delete.
    expect(spec.workerGroupSpecs?.[0]?.scaleStrategy?.workersToDelete ?? []).toHaveLength(1);
  });
});
