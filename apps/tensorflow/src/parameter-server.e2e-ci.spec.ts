/** A TFJob with a Chief, a parameter server and an Evaluator on a real node. */
import {
  PERSISTENT_VOLUME_CLAIMS,
  TF_CONTAINER,
  TF_JOBS,
  type PersistentVolumeClaim,
  type TFJob,
} from '@muster/job-api';
import { trainingFixture, TRAINING_TIMEOUT_MS } from '@muster/testing';
import { describe, expect, it } from 'vitest';

const fixture = await trainingFixture('tensorflow', TF_CONTAINER);

describe('a TFJob with a Chief', { timeout: TRAINING_TIMEOUT_MS }, () => {
  it('trains two workers and a parameter server, evaluates the checkpoints, and stops the parameter server at the end', async () => {
    await fixture.client.create(PERSISTENT_VOLUME_CLAIMS, await fixture.example<PersistentVolumeClaim>('checkpoints'));
    const manifest = await fixture.example<TFJob>('parameter-server');
    const { name } = manifest.metadata;
    await fixture.client.create(TF_JOBS, manifest);
    await fixture.toSucceed(TF_JOBS, name);
    const { first, last, workers } = await fixture.resultOf(`${name}-chief-0`);
    expect(workers).toBe(2);
    expect(last).toBeLessThan(first / 5);
    // The last checkpoint is that of the last epoch.
    await fixture.logged(`${name}-evaluator-0`, /^evaluated epoch (\d+)\/\1 loss [\d.]+$/m);
    const ended = ['chief-0', 'evaluator-0', 'worker-0', 'worker-1'];
    await fixture.podsToHaveEndedWell(
      name,
      ended.map((pod) => `${name}-${pod}`),
    );
  });
});
