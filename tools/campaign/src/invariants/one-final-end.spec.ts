import { describe, expect, it } from 'vitest';
import { workers, WrittenHistory } from '../../test-support/written-history.ts';
import { oneFinalEnd } from './one-final-end.ts';

const SUCCEEDED = { type: 'Succeeded', reason: 'PyTorchJobSucceeded' };
const FAILED = { type: 'Failed', reason: 'PyTorchJobFailed' };
const job = () => new WrittenHistory().job(workers(1), { type: 'Running' });

describe('one-final-end', () => {
  it('holds if a job ends once', () => {
    expect(job().job(workers(1), SUCCEEDED).job(workers(1), SUCCEEDED).violations(oneFinalEnd)).toEqual([]);
  });

  it.each([
    ['both ends at once', () => job().job(workers(1), SUCCEEDED, FAILED)],
    ['an end that becomes another', () => job().job(workers(1), FAILED).job(workers(1), SUCCEEDED)],
    ['an end that is taken back', () => job().job(workers(1), FAILED).job(workers(1), { type: 'Running' })],
    [
      'another reason',
      () =>
        job()
          .job(workers(1), FAILED)
          .job(workers(1), { ...FAILED, reason: 'Other' }),
    ],
  ])('is violated by %s', (_what, history) => {
    expect(history().violations(oneFinalEnd)).toHaveLength(1);
  });
});
