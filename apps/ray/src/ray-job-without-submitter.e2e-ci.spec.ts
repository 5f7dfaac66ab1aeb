/** RayJobs without a submitter Job, on a real node. The manifests are in `examples/`. */
import { RAY_JOBS } from '@muster/job-api';
import { eventually, TRAINING_TIMEOUT_MS } from '@muster/testing';
import { describe, expect, it } from 'vitest';
import { createWithFirstTry } from '../test-support/first-try.ts';
import { expectTraining, rayFixture } from '../test-support/ray-fixture.ts';

const fixture = await rayFixture();
const SUCCEEDED = { jobStatus: 'SUCCEEDED', jobDeploymentStatus: 'Complete', succeeded: 1 };

describe('a RayJob without a submitter of its own on a real node', { timeout: TRAINING_TIMEOUT_MS }, () => {
  it('is submitted by the operator in HTTPMode', async () => {
    const { name, cluster, status } = await fixture.runJob('rayjob-http');
    expect(status).toMatchObject(SUCCEEDED);
    expectTraining(await fixture.printed(cluster, status.jobId ?? ''), 2);
    expect(await fixture.submitterPods(name)).toEqual([]);
  });

  it('is submitted by a container of the head pod in SidecarMode', async () => {
    const { name, cluster, status } = await fixture.runJob('rayjob-sidecar');
    expect(status).toMatchObject(SUCCEEDED);
    const [head = ''] = await fixture.podNames(cluster, { 'ray.io/node-type': 'head' });
    expectTraining(await fixture.logOf(head, 'ray-job-submitter'), 2);
    expect(await fixture.submitterPods(name)).toEqual([]);
  });

  it('is suspended while its program runs, and reruns it on another cluster when it is resumed', async () => {
    const tries = { first: 'echo it runs; sleep infinity', later: 'python train.py --workers 1' };
    const changes = { shutdownAfterJobFinishes: true, ttlSecondsAfterFinished: 3600 };
    const name = await createWithFirstTry(fixture, 'rayjob-http', tries, changes);
    const key = { namespace: fixture.namespace, name };
    const running = await fixture.jobToBe(name, ({ status }) => status?.jobStatus === 'RUNNING');
    const { rayClusterName: former = '', jobId = '' } = running.status ?? {};
    await fixture.prints(former, jobId, /^it runs$/m);

    await fixture.client.patch(RAY_JOBS, key, { spec: { suspend: true } });
    await fixture.jobToBe(name, ({ status }) => status?.jobDeploymentStatus === 'Suspended');
    await eventually(async () => Object.keys(await fixture.podStates(former)).length === 0);

    await fixture.client.patch(RAY_JOBS, key, { spec: { suspend: false } });
    const { status = {} } = await fixture.jobToEnd(name);
    expect(status, status.message).toMatchObject(SUCCEEDED);
    expect(status.rayClusterName).not.toBe(former);
    expect(status.jobId).not.toBe(jobId);
    expectTraining(await fixture.printed(status.rayClusterName ?? '', status.jobId ?? ''), 1);
  });
});
