/** A submitter that is lost while Ray runs the job: the job goes on without it, and its log is cut short. */
import { errorMessage, type JobWarning } from '@muster/common-job-controller';
import { submitterIsJob } from './ray-job-conditions.ts';
import type { View } from './observed-ray-job.ts';
import { hasRayJobEnded } from './ray-job-status.ts';

/** Of a job on record as running. A submitter with a command of its own may end well as soon as it has submitted the job. */
export function lostSubmitter(view: View): JobWarning[] {
  const { record, known, answer, submitter } = view;
  const isRunning = record.jobDeploymentStatus === 'Running' && known.jobDeploymentStatus === 'Running';
  const isKnownToRay = answer?.kind === 'Job' && !hasRayJobEnded(answer.status);
  const end = isRunning && isKnownToRay ? endOf(view) : undefined;
  if (end === undefined) return [];
  const where = submitter === undefined ? '' : ' Its own log says why it failed.';
  return [
    {
      reason: 'SubmitterLost',
      note:
        `The log of the submitter ends early. Ray runs the job on, and the RayJob ends as Ray says. The whole log: ` +
        `ray job logs ${known.jobId} --address http://${known.dashboardURL}. The submitter ${end}.${where}`,
    },
  ];
}

function endOf(view: View): string | undefined {
  const { submitter, name } = view;
  if (submitter === undefined) return submitterIsJob(view) ? `was deleted (Job ${name})` : undefined;
  return submitter.end?.hasFailed === true
    ? `has failed (${errorMessage(submitter.end.message) ?? 'no message'})`
    : undefined;
}
