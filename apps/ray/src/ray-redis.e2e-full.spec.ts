/** Real heads that are lost while a job runs, with the GCS in Redis. */
import { RAY_JOBS, type RayJob } from '@muster/job-api';
import { TRAINING_TIMEOUT_MS } from '@muster/testing';
import { describe, expect, it } from 'vitest';
import { expectHeadLossSurvived } from '../test-support/head-loss.ts';
import { rayFixture } from '../test-support/ray-fixture.ts';

const fixture = await rayFixture();

describe('a RayJob whose head is lost, with the GCS in Redis', { timeout: TRAINING_TIMEOUT_MS }, () => {
  it('continues on the recreated head', () => expectHeadLossSurvived(fixture, 'redis'));

  it('fails when its program ran in the lost head', async () => {
    const job = await fixture.example<RayJob>('redis');
    const name = 'ray-in-head';
    const { entrypointResources: _, ...spec } = job.spec;
    // Redis was created by the previous test.
    await fixture.client.create(RAY_JOBS, { ...job, metadata: { ...job.metadata, name }, spec });
    await fixture.loseHeadWhileTraining(name);
    const { status } = await fixture.jobToEnd(name);
    expect(status).toMatchObject({ jobDeploymentStatus: 'Failed', reason: 'AppFailed', failed: 1 });
    expect(status?.message).toMatch(/head/);
  });
});
