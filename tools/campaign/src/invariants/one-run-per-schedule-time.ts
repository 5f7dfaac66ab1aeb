import { firstOf, type JobStory, lastOf, titleOf, versionBefore } from '../history/job-story.ts';
import { hasFinalEnd } from '../history/pod-state.ts';
import type { Invariant, Violation } from './invariant.ts';

const NAME = 'one-run-per-schedule-time';
const SCHEDULED_TIME = 'ray.io/cronjob-scheduled-timestamp';

export const oneRunPerScheduleTime: Invariant = {
  name: NAME,
  statement:
    'A RayCronJob creates at most one RayJob for each scheduled time, and with concurrencyPolicy Forbid none before all earlier ones have ended or are gone.',
  check: (_history, jobs) => jobs.filter(({ kind }) => kind === 'RayCronJob').flatMap(check),
};

function check(job: JobStory): Violation[] {
  // What an operator with a late watch creates afterwards is removed at once, because it has no owner.
  const { revision: goneAt = Infinity } = job.gone ?? {};
  const runs = job.owned.filter((run) => run.resource === 'rayjobs.ray.io' && firstOf(run).revision < goneAt);
  const isForbidden = lastOf(job).object.spec?.['concurrencyPolicy'] === 'Forbid';
  const timeOf = (run: (typeof runs)[number]) => firstOf(run).object.metadata?.annotations?.[SCHEDULED_TIME];
  return runs.flatMap((run, index): Violation[] => {
    const earlier = runs.slice(0, index);
    const twin = earlier.find((other) => timeOf(other) === timeOf(run));
    const { revision } = firstOf(run);
    const open = earlier.find((other) => {
      const { object } = versionBefore(other, revision) ?? {};
      return object !== undefined && !hasFinalEnd(object);
    });
    const say = (message: string) => [{ invariant: NAME, about: titleOf(job), uid: job.uid, message }];
    if (twin !== undefined) return say(`RayJobs ${twin.name} and ${run.name} are both of ${timeOf(run)}`);
    if (!isForbidden || open === undefined) return [];
    return say(`RayJob ${run.name} was created at revision ${revision}, and ${open.name} had not ended`);
  });
}
