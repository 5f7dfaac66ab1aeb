/** A Volcano Job on a real node, where no Volcano is: the operator tells its pods their places, and they train. */
import { PYTORCH_CONTAINER } from '@muster/job-api';
import { trainingStage, TRAINING_TIMEOUT_MS, volcanoJobToComplete } from '@muster/testing';
import { expect, it } from 'vitest';

const stage = await trainingStage('pytorch-elastic', PYTORCH_CONTAINER, ['--volcano-jobs']);

it('a master and two workers train together', { timeout: TRAINING_TIMEOUT_MS }, async () => {
  await volcanoJobToComplete(stage, 'pytorch');
  const { first, last, workers } = await stage.resultOf('volcano-pytorch-master-0');
  expect(workers).toBe(3);
  expect(last).toBeLessThan(first / 5);
});
