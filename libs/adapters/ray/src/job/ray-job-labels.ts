import { RAY_LABELS } from '../model/ray-labels.ts';

/** A label of a RayJob's cluster. */
export const SUBMISSION_MODE_LABEL = 'ray.io/job-submission-mode';

/** Labels of the cluster, the submitter and its pods. A NetworkPolicy uses them to let the submitter reach the head. */
export function jobLabels(rayJob: string): Record<string, string> {
  return { [RAY_LABELS.originName]: rayJob, [RAY_LABELS.originKind]: 'RayJob' };
}
