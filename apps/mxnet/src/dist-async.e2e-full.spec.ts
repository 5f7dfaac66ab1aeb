/** Real training: pods that a kubelet runs, MXNet's parameter server between them. The manifests are those of `examples/`. */
import { MX_CONTAINER, MX_JOBS, type MXJob } from '@muster/job-api';
import { trainingStage, TRAINING_TIMEOUT_MS } from '@muster/testing';
import { describe, expect, it } from 'vitest';

const stage = await trainingStage('mxnet', MX_CONTAINER);

describe('training on a real node', { timeout: TRAINING_TIMEOUT_MS }, () => {
  it('two workers train over a server by dist-async, and the job succeeds with them', async () => {
    const manifest = await stage.example<MXJob>('dist-async');
    const { name } = manifest.metadata;
    await stage.client.create(MX_JOBS, manifest);
    await stage.toSucceed(MX_JOBS, name);
    const { first, last, workers, agree } = await stage.resultOf(`${name}-worker-0`);
    expect({ workers, agree }).toEqual({ workers: 2, agree: true });
    expect(last).toBeLessThan(first / 5);
  });
});
