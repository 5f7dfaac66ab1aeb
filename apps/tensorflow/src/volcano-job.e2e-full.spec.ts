/** A Volcano Job on a real node, where no Volcano is: the operator tells its pods their places, and they train. */
import { TF_CONTAINER } from '@muster/job-api';
import { trainingStage, TRAINING_TIMEOUT_MS, volcanoJobToComplete } from '@muster/testing';
import { expect, it } from 'vitest';

const stage = await trainingStage('tensorflow', TF_CONTAINER, ['--volcano-jobs']);

it(
  'two workers train over a parameter server under a chief, with which the job is completed',
  { timeout: TRAINING_TIMEOUT_MS },
  async () => {
    await volcanoJobToComplete(stage, 'tensorflow');
    const { first, last, workers } = await stage.resultOf('volcano-tensorflow-chief-0');
    expect(workers).toBe(2);
    expect(last).toBeLessThan(first / 5);
  },
);
