/** The labels by which the objects of a RayJob are known. */
import { RAY_LABELS } from '../model/ray-labels.ts';

/** On a RayJob's cluster: the job's submission mode. */
export const SUBMISSION_MODE_LABEL = 'ray.io/job-submission-mode';

/** On the cluster, the submitter and the submitter's pods. By them a NetworkPolicy lets the submitter reach the head. */
export function jobLabels(rayJob: string): Record<string, string> {
  return { [RAY_LABELS.originName]: rayJob, [RAY_LABELS.originKind]: 'RayJob' };
}
