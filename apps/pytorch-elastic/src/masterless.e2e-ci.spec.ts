/** A PyTorchJob without a Master on a real node. */
import { ANNOTATIONS, PYTORCH_CONTAINER, PYTORCH_JOBS, type PyTorchJob } from '@muster/job-api';
import { trainingFixture, TRAINING_TIMEOUT_MS } from '@muster/testing';
import { describe, expect, it } from 'vitest';

const fixture = await trainingFixture('pytorch-elastic', PYTORCH_CONTAINER);
const { client } = fixture;

describe('a PyTorchJob without a Master', { timeout: TRAINING_TIMEOUT_MS }, () => {
  it('trains with one Service per replica', async () => {
    const manifest = await fixture.example<PyTorchJob>('masterless');
    const { name } = manifest.metadata;
    const annotations = { [ANNOTATIONS.serviceMode]: 'PerReplica' };
    await client.create(PYTORCH_JOBS, { ...manifest, metadata: { ...manifest.metadata, annotations } });
    await fixture.toSucceed(PYTORCH_JOBS, name);
    const { first, last } = await fixture.resultOf(`${name}-worker-0`);
    expect(last).toBeLessThan(first / 5);
  });
});
