/** A Volcano Job trains on a real node without Volcano. */
import { TF_CONTAINER } from '@muster/job-api';
import { trainingFixture, TRAINING_TIMEOUT_MS, volcanoJobToComplete } from '@muster/testing';
import { expect, it } from 'vitest';

const fixture = await trainingFixture('tensorflow', TF_CONTAINER, ['--volcano-jobs']);

it(
  'a Volcano Job trains two workers with a parameter server, and completes with its chief',
  { timeout: TRAINING_TIMEOUT_MS },
  async () => {
    await volcanoJobToComplete(fixture, 'tensorflow');
    const { first, last, workers } = await fixture.resultOf('volcano-tensorflow-chief-0');
    expect(workers).toBe(2);
    expect(last).toBeLessThan(first / 5);
  },
);
