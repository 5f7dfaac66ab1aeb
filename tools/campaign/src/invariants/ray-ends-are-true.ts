import type { History, StoredObject } from '../history/history.ts';
import { type JobStory, titleOf, type Version } from '../history/job-story.ts';
import type { Invariant, Violation } from './invariant.ts';

const NAME = 'ray-ends-are-true';

export const rayEndsAreTrue: Invariant = {
  name: NAME,
  statement: 'The status of a RayJob says SUCCEEDED only after Ray has finished the job of this id with success.',
  check: (history, jobs) => jobs.filter(({ kind }) => kind === 'RayJob').flatMap((job) => check(history, job)),
};

function check({ rayRuns }: History, job: JobStory): Violation[] {
  const isTrue = ({ object, atMs }: Version) => {
    const { jobStatus, jobId } = rayStatus(object);
    if (jobStatus !== 'SUCCEEDED') return true;
    return rayRuns.some(
      (run) => run.namespace === job.namespace && run.jobId === jobId && run.succeeds && run.endMs <= atMs,
    );
  };
  const wrong = job.versions.find((version) => !isTrue(version));
  if (wrong === undefined) return [];
  const { jobId } = rayStatus(wrong.object);
  const message = `says SUCCEEDED at revision ${wrong.revision}, and Ray has not finished ${jobId} with success`;
  return [{ invariant: NAME, about: titleOf(job), uid: job.uid, message }];
}

function rayStatus({ status = {} }: StoredObject): { readonly jobStatus?: string; readonly jobId?: string } {
  return status;
}
