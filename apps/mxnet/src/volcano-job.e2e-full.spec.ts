/** A Volcano Job trains on a real node without Volcano. */
import { MX_CONTAINER } from '@muster/job-api';
import { trainingFixture, TRAINING_TIMEOUT_MS, volcanoJobToComplete } from '@muster/testing';
import { expect, it } from 'vitest';

const fixture = await trainingFixture('mxnet', MX_CONTAINER, ['--volcano-jobs']);

it(
  'a Volcano Job trains two MXNet workers with a server, which is stopped at the end',
  { timeout: TRAINING_TIMEOUT_MS },
  async () => {
    await volcanoJobToComplete(fixture, 'mxnet');
    const { first, last, workers } = await fixture.resultOf('volcano-mxnet-worker-0');
    expect(workers).toBe(2);
    expect(last).toBeLessThan(first / 5);
  },
);
