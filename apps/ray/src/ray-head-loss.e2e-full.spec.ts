/** Real heads that are lost while a job runs: without fault tolerance, and with the GCS on a volume. */
import type { RayJob } from '@muster/job-api';
import { TRAINING_TIMEOUT_MS } from '@muster/testing';
import { describe, expect, it } from 'vitest';
import { expectHeadLossSurvived } from '../test-support/head-loss.ts';
import { rayFixture } from '../test-support/ray-fixture.ts';

const fixture = await rayFixture();

describe('a RayJob whose head is lost', { timeout: TRAINING_TIMEOUT_MS }, () => {
  it('fails without fault tolerance, because Ray has lost the job', async () => {
    const job = await fixture.example<RayJob>('rayjob-http');
    const entrypoint = 'python train.py --workers 2 --epochs 600 --epoch-seconds 1';
    await fixture.create('rayjob-http', { ...job, spec: { ...job.spec, entrypoint } } as RayJob);
    const { name } = job.metadata;
    await fixture.loseHeadWhileTraining(name);
    const { status } = await fixture.jobToEnd(name);
    expect(status).toMatchObject({ jobDeploymentStatus: 'Failed', reason: 'AppFailed', failed: 1 });
    expect(status?.message).toMatch(/head/);
  });

  it('continues on the recreated head with the GCS on a volume', () => expectHeadLossSurvived(fixture, 'rocksdb'));
});
