/** Real RayJobs that no pod of their own submits. The manifests are those of `examples/`. */
import { TRAINING_TIMEOUT_MS } from '@muster/testing';
import { describe, expect, it } from 'vitest';
import { expectTraining, rayStage } from '../test-support/ray-stage.ts';

const stage = await rayStage();
const SUCCEEDED = { jobStatus: 'SUCCEEDED', jobDeploymentStatus: 'Complete', succeeded: 1 };

describe('a RayJob without a submitter of its own on a real node', { timeout: TRAINING_TIMEOUT_MS }, () => {
  it('in HTTPMode: the operator submits it', async () => {
    const { name, cluster, status } = await stage.runJob('rayjob-http');
    expect(status).toMatchObject(SUCCEEDED);
    expectTraining(await stage.printed(cluster, status.jobId ?? ''), 2);
    expect(await stage.submitterPods(name)).toEqual([]);
  });

  it('in SidecarMode: a container of the head pod submits it', async () => {
    const { name, cluster, status } = await stage.runJob('rayjob-sidecar');
    expect(status).toMatchObject(SUCCEEDED);
    const [head = ''] = await stage.podNames(cluster, { 'ray.io/node-type': 'head' });
    expectTraining(await stage.logOf(head, 'ray-job-submitter'), 2);
    expect(await stage.submitterPods(name)).toEqual([]);
  });
});
