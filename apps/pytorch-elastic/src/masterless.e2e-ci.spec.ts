/** A PyTorchJob without a Master on a real node. */
import { ANNOTATIONS, PYTORCH_CONTAINER, PYTORCH_JOBS, type PyTorchJob } from '@muster/job-api';
import { trainingFixture, TRAINING_TIMEOUT_MS } from '@muster/testing';
import { describe, expect, it } from 'vitest';

const stage = await trainingFixture('pytorch-elastic', PYTORCH_CONTAINER);
const { client } = stage;

describe('a PyTorchJob without a Master', { timeout: TRAINING_TIMEOUT_MS }, () => {
  it('trains with one Service per replica', async () => {
    const manifest = await stage.example<PyTorchJob>('masterless');
    const { name } = manifest.metadata;
    const annotations = { [ANNOTATIONS.serviceMode]: 'PerReplica' };
    await client.create(PYTORCH_JOBS, { ...manifest, metadata: { ...manifest.metadata, annotations } });
    await stage.toSucceed(PYTORCH_JOBS, name);
    const { first, last } = await stage.resultOf(`${name}-worker-0`);
    expect(last).toBeLessThan(first / 5);
  });
});
