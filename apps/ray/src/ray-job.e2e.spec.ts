/** Real RayJobs that a Job submits: one that trains, one that fails. The manifests are those of `examples/`. */
import { RAY_CLUSTERS } from '@muster/job-api';
import { eventually, TRAINING_TIMEOUT_MS } from '@muster/testing';
import { describe, expect, it } from 'vitest';
import { expectTraining, rayStage } from '../test-support/ray-stage.ts';

const stage = await rayStage();

describe('a RayJob in K8sJobMode on a real node', { timeout: TRAINING_TIMEOUT_MS }, () => {
  it('trains on three nodes, a Job has the log of it, and the cluster goes', async () => {
    const { name, cluster, status } = await stage.runJob('rayjob-k8s');
    expect(status).toMatchObject({ jobStatus: 'SUCCEEDED', jobDeploymentStatus: 'Complete', succeeded: 1 });
    const [submitter] = await stage.submitterPods(name);
    expectTraining(await stage.logOf(submitter?.metadata.name ?? '', 'ray-job-submitter'), 3);
    await eventually(async () => {
      const { items } = await stage.client.list(RAY_CLUSTERS, { namespace: stage.namespace });
      return items.every(({ metadata }) => metadata?.name !== cluster);
    });
  });

  it('fails when its program fails', async () => {
    const { status } = await stage.runJob('rayjob-fails');
    expect(status).toMatchObject({
      jobStatus: 'FAILED',
      jobDeploymentStatus: 'Failed',
      reason: 'AppFailed',
      failed: 1,
    });
  });
});
