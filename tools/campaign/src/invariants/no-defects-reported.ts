import { lastOf, titleOf } from '../history/job-story.ts';
import { statusOf } from '../history/pod-state.ts';
import type { Invariant, Violation } from './invariant.ts';

const NAME = 'no-defects-reported';

export const noDefectsReported: Invariant = {
  name: NAME,
  statement: 'No operator process ends by itself, and no job has the reason PlanningFailed.',
  check({ exits }, jobs) {
    const ended = exits.map(({ replica, operatorVersion, end, lastLines }): Violation => {
      return {
        invariant: NAME,
        about: replica,
        message: `the process (${operatorVersion}) ended with ${end}: ${lastLines}`,
      };
    });
    const failed = jobs.flatMap((job): Violation[] => {
      const found = job.versions.find(({ object }) =>
        statusOf(object).conditions?.some(({ reason }) => reason === 'PlanningFailed'),
      );
      if (found === undefined) return [];
      const message = `planning failed at revision ${found.revision}: ${JSON.stringify(statusOf(lastOf(job).object).conditions?.[0])}`;
      return [{ invariant: NAME, about: titleOf(job), uid: job.uid, message, revision: found.revision }];
    });
    return [...ended, ...failed];
  },
};
