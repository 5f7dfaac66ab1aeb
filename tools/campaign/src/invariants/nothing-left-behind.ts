import { livesOf, controllerOf, firstOf, type JobStory, lastOf, titleOf } from '../history/job-story.ts';
import { isDeleting } from '../history/pod-state.ts';
import type { Invariant, Violation } from './invariant.ts';

const NAME = 'nothing-left-behind';

export const nothingLeftBehind: Invariant = {
  name: NAME,
  statement:
    'When nothing changes any more, no object of a deleted job exists, and no deleted job is held by a finalizer.',
  check({ changes, hasSettled }, jobs) {
    if (!hasSettled) return [];
    const gone = new Map(jobs.filter((job) => job.gone !== undefined).map((job) => [job.uid, job]));
    const held = jobs
      .filter((job) => job.gone === undefined && isDeleting(lastOf(job).object) && !waitsForKubernetes(job))
      .map((job): Violation => {
        const { finalizers = [] } = lastOf(job).object.metadata ?? {};
        const message = `is deleted and still exists, with the finalizers ${finalizers.join(', ') || '(none)'}`;
        return { invariant: NAME, about: titleOf(job), uid: job.uid, message };
      });
    const left = [...livesOf(changes).values()]
      .filter((life) => life.gone === undefined)
      .flatMap((life): Violation[] => {
        const job = gone.get(controllerOf(firstOf(life).object) ?? '');
        if (job === undefined) return [];
        const message = `is gone, and ${life.resource} ${life.name} (${life.uid}) still exists`;
        return [{ invariant: NAME, about: titleOf(job), uid: job.uid, message }];
      });
    return [...held, ...left];
  },
};

/** Everything of the job is gone, and only Kubernetes' garbage collector, which retries at growing intervals, still holds it. */
function waitsForKubernetes(job: JobStory): boolean {
  const { finalizers = [] } = lastOf(job).object.metadata ?? {};
  return finalizers.every((each) => each === 'foregroundDeletion') && job.owned.every(({ gone }) => gone !== undefined);
}
