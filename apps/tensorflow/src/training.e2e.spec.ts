/** Trains with TensorFlow's servers in pods on a real node. The manifests are in `examples/`. */
import { TF_CONTAINER, TF_JOBS, type TFJob } from '@muster/job-api';
import { trainingFixture, TRAINING_TIMEOUT_MS } from '@muster/testing';
import { describe, expect, it } from 'vitest';

const fixture = await trainingFixture('tensorflow', TF_CONTAINER);

describe('a TFJob on a real node', { timeout: TRAINING_TIMEOUT_MS }, () => {
  it('trains one model with two workers, and succeeds when both do', async () => {
    const manifest = await fixture.example<TFJob>('multi-worker');
    const { name } = manifest.metadata;
    await fixture.client.create(TF_JOBS, manifest);
    await fixture.toSucceed(TF_JOBS, name);
    const { first, last, workers, agree } = await fixture.resultOf(`${name}-worker-0`);
    expect({ workers, agree }).toEqual({ workers: 2, agree: true });
    expect(last).toBeLessThan(first / 5);
    await fixture.podsToHaveEndedWell(name, [`${name}-worker-0`, `${name}-worker-1`]);
  });
});
