/** What can be asked of a job that has ended. */
import type { Expectation } from './demo-job.ts';

export const endsSucceeded: Expectation = {
  expectation: 'comes to a good end',
  needsTraining: false,
  judge: ({ status }) => ({ met: status.state === 'Succeeded', seen: status.state ?? 'no state' }),
};

/** The loss before the first epoch is above the loss after the last. */
export const lossFalls: Expectation = {
  expectation: 'ends with a lower loss than it began with',
  needsTraining: true,
  judge({ log: { result } }) {
    if (result === undefined) return { met: false, seen: 'the log tells no result' };
    return { met: result.lastLoss < result.firstLoss, seen: `${result.firstLoss} → ${result.lastLoss}` };
  },
};

/** The program has trained once more in one process, and compared. */
export function endsLikeOneProcess(workers: number): Expectation {
  return {
    expectation: `ends with ${workers} workers, and the loss that one process comes to`,
    needsTraining: true,
    judge({ log: { result }, logText }) {
      const isSame = /^same as alone$/m.test(logText);
      if (result === undefined) return { met: false, seen: 'the log tells no result' };
      return {
        met: isSame && result.workers === workers,
        seen: `${result.workers} workers${isSame ? '' : ', and another loss'}`,
      };
    },
  };
}

/** As many workers took part in the last epoch. */
export function endsWith(workers: number): Expectation {
  return {
    expectation: `ends with ${workers} workers that agree on every parameter`,
    needsTraining: true,
    judge({ log: { result }, logText }) {
      const agree = /^workers agree$/m.test(logText);
      if (result === undefined) return { met: false, seen: 'the log tells no result' };
      return {
        met: agree && result.workers === workers,
        seen: `${result.workers} workers${agree ? '' : ', and they do not agree'}`,
      };
    },
  };
}
