/** The warning that the submitter is lost while Ray runs the job: the job continues, but its log ends early. */
import type { JobWarning } from '@muster/common-job-controller';
import { errorMessage } from '@muster/program-output';
import { submitterIsJob } from './ray-job-conditions.ts';
import type { View } from './observed-ray-job.ts';
import { hasRayJobEnded } from './ray-job-status.ts';

/** A submitter with its own command may exit with code 0 after the submission: it is not lost. */
export function lostSubmitter(view: View): JobWarning[] {
  const { record, known, answer, submitter } = view;
  const isRunning = record.jobDeploymentStatus === 'Running' && known.jobDeploymentStatus === 'Running';
  const isKnownToRay = answer?.kind === 'Job' && !hasRayJobEnded(answer.status);
  const end = isRunning && isKnownToRay ? endOf(view) : undefined;
  if (end === undefined) return [];
  const where = submitter === undefined ? '' : ' Its log has the reason.';
  return [
    {
      reason: 'SubmitterLost',
      note:
        `The log of the submitter ends early. Ray continues the job, whose result is the RayJob's. The whole log: ` +
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
