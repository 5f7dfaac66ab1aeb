import { livesOf, controllerOf, firstOf, lastOf, titleOf } from '../history/job-story.ts';
import { isDeleting, isHeldByKubernetes, isLeftToKubernetes } from '../history/pod-state.ts';
import type { Invariant, Violation } from './invariant.ts';

const NAME = 'nothing-left-behind';

export const nothingLeftBehind: Invariant = {
  name: NAME,
  statement:
    'When nothing changes any more, each object of a deleted job is gone or left to Kubernetes to remove, and no finalizer of Muster holds a deleted job.',
  check({ changes, hasSettled }, jobs) {
    if (!hasSettled) return [];
    const gone = new Map(jobs.filter((job) => job.gone !== undefined).map((job) => [job.uid, job]));
    const held = jobs
      .filter((job) => job.gone === undefined && isDeleting(lastOf(job).object) && !isHeldByKubernetes(job))
      .map((job): Violation => {
        const { finalizers = [] } = lastOf(job).object.metadata ?? {};
        const message = `is deleted and still exists, with the finalizers ${finalizers.join(', ') || '(none)'}`;
        return { invariant: NAME, about: titleOf(job), uid: job.uid, message };
      });
    const left = [...livesOf(changes).values()]
      .filter((life) => !isLeftToKubernetes(life))
      .flatMap((life): Violation[] => {
        const job = gone.get(controllerOf(firstOf(life).object) ?? '');
        if (job === undefined) return [];
        const message = `is gone, and ${life.resource} ${life.name} (${life.uid}) still exists`;
        return [{ invariant: NAME, about: titleOf(job), uid: job.uid, message }];
      });
    return [...held, ...left];
  },
};
