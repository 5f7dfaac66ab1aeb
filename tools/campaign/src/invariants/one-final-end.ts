import { hasCondition } from '@muster/job-api';
import { titleOf, type JobStory } from '../history/job-story.ts';
import { hasFinalEnd, statusOf } from '../history/pod-state.ts';
import type { Invariant, Violation } from './invariant.ts';

const NAME = 'one-final-end';

export const oneFinalEnd: Invariant = {
  name: NAME,
  statement: 'A job has at most one of Succeeded and Failed, which stays, with the same reason, until the job is gone.',
  check: (_history, jobs) => jobs.flatMap(check),
};

function check(job: JobStory): Violation[] {
  let end: string | undefined;
  for (const { revision, object } of job.versions) {
    const { conditions } = statusOf(object);
    const ends = (['Succeeded', 'Failed'] as const).filter((type) => hasCondition(conditions, type));
    const now = hasFinalEnd(object)
      ? `${ends.join(' and ')} (${conditions?.find(({ type }) => type === ends[0])?.reason})`
      : undefined;
    const violation = (message: string): Violation[] => [
      { invariant: NAME, about: titleOf(job), uid: job.uid, message, revision },
    ];
    if (ends.length > 1) return violation(`has Succeeded and Failed at revision ${revision}`);
    if (end !== undefined && now !== end)
      return violation(`was ${end} and is ${now ?? 'not ended'} at revision ${revision}`);
    end = now;
  }
  return [];
}
