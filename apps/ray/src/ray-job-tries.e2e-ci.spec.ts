/** RayJobs in K8sJobMode whose program fails, always or the first time. The manifests are in `examples/`. */
import { TRAINING_TIMEOUT_MS } from '@muster/testing';
import { describe, expect, it } from 'vitest';
import { createWithFirstTry } from '../test-support/first-try.ts';
import { expectTraining, rayFixture } from '../test-support/ray-fixture.ts';

const fixture = await rayFixture();

describe('a RayJob in K8sJobMode on a real node', { timeout: TRAINING_TIMEOUT_MS }, () => {
  it('fails when its program fails', async () => {
    const { status } = await fixture.runJob('rayjob-fails');
    expect(status).toMatchObject({
      jobStatus: 'FAILED',
      jobDeploymentStatus: 'Failed',
      reason: 'AppFailed',
      failed: 1,
    });
  });

  it('is retried on another cluster, at most backoffLimit times', async () => {
    const tries = { first: 'exit 3', later: 'python train.py --workers 1' };
    const name = await createWithFirstTry(fixture, 'rayjob-fails', tries, { backoffLimit: 1 });
    const begun = await fixture.jobToBe(name, ({ status }) => Boolean(status?.rayClusterName));
    const { status } = await fixture.jobToEnd(name);
    expect(status, status?.message).toMatchObject({
      jobStatus: 'SUCCEEDED',
      jobDeploymentStatus: 'Complete',
      succeeded: 1,
      failed: 1,
    });
    expect(status?.rayClusterName).not.toBe(begun.status?.rayClusterName);
    const submitters = await fixture.submitterPods(name);
    const [submitter, ...others] = submitters.filter(({ status: { phase } = {} }) => phase === 'Succeeded');
    expect(others).toEqual([]);
    expectTraining(await fixture.logOf(submitter?.metadata.name ?? '', 'ray-job-submitter'), 1);
  });
});
