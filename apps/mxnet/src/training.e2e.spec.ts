/** Trains with MXNet's parameter server in pods on a real node. The manifests are in `examples/`. */
import { MX_CONTAINER, MX_JOBS, type MXJob } from '@muster/job-api';
import { trainingFixture, TRAINING_TIMEOUT_MS } from '@muster/testing';
import { describe, expect, it } from 'vitest';

const fixture = await trainingFixture('mxnet', MX_CONTAINER);

describe('an MXJob on a real node', { timeout: TRAINING_TIMEOUT_MS }, () => {
  it('trains two workers with a server by dist-sync, and succeeds when they do', async () => {
    const manifest = await fixture.example<MXJob>('dist-sync');
    const { name } = manifest.metadata;
    await fixture.client.create(MX_JOBS, manifest);
    await fixture.toSucceed(MX_JOBS, name);
    const { first, last, workers, agree } = await fixture.resultOf(`${name}-worker-0`);
    expect({ workers, agree }).toEqual({ workers: 2, agree: true });
    expect(last).toBeLessThan(first / 5);
  });
});
