/** Expectations for ended jobs. */
import type { Expectation } from './demo-job.ts';

export const endsSucceeded: Expectation = {
  expectation: 'succeeds',
  needsTraining: false,
  judge: ({ status }) => ({ met: status.state === 'Succeeded', seen: status.state ?? 'no state' }),
};

/** The loss before the first epoch is above the loss after the last. */
export const lossFalls: Expectation = {
  expectation: 'has a lower loss at the end than at the start',
  needsTraining: true,
  judge({ log: { result } }) {
    if (result === undefined) return { met: false, seen: 'the log has no result' };
    return { met: result.lastLoss < result.firstLoss, seen: `${result.firstLoss} → ${result.lastLoss}` };
  },
};

/** The program trains again in one process, and compares the loss. */
export function endsLikeOneProcess(workers: number): Expectation {
  return {
    expectation: `ends with ${workers} workers, and the same loss as one process`,
    needsTraining: true,
    judge({ log: { result }, logText }) {
      const isSame = /^same as alone$/m.test(logText);
      if (result === undefined) return { met: false, seen: 'the log has no result' };
      return {
        met: isSame && result.workers === workers,
        seen: `${result.workers} workers${isSame ? '' : ', and a different loss'}`,
      };
    },
  };
}

/** The last epoch had this number of workers. */
export function endsWith(workers: number): Expectation {
  return {
    expectation: `ends with ${workers} workers that have the same parameters`,
    needsTraining: true,
    judge({ log: { result }, logText }) {
      const agree = /^workers agree$/m.test(logText);
      if (result === undefined) return { met: false, seen: 'the log has no result' };
      return {
        met: agree && result.workers === workers,
        seen: `${result.workers} workers${agree ? '' : ', with different parameters'}`,
      };
    },
  };
}
