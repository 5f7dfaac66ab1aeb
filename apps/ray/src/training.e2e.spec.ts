/** Trains with a RayJob in K8sJobMode on a real node. The manifest is in `examples/`. */
import { RAY_CLUSTERS } from '@muster/job-api';
import { eventually, TRAINING_TIMEOUT_MS } from '@muster/testing';
import { describe, expect, it } from 'vitest';
import { expectTraining, rayFixture } from '../test-support/ray-fixture.ts';

const fixture = await rayFixture();

describe('a RayJob on a real node', { timeout: TRAINING_TIMEOUT_MS }, () => {
  it('trains on three Ray nodes, has the log in its submitter, and deletes its cluster at the end', async () => {
    const { name, cluster, status } = await fixture.runJob('rayjob-k8s');
    expect(status).toMatchObject({ jobStatus: 'SUCCEEDED', jobDeploymentStatus: 'Complete', succeeded: 1 });
    const [submitter] = await fixture.submitterPods(name);
    expectTraining(await fixture.logOf(submitter?.metadata.name ?? '', 'ray-job-submitter'), 3);
    await eventually(async () => {
      const { items } = await fixture.client.list(RAY_CLUSTERS, { namespace: fixture.namespace });
      return items.every(({ metadata }) => metadata?.name !== cluster);
    });
  });
});
