/** A RayJob's status in KubeRay's format. */
import { INVALID_SPEC, type JobStatus, type RayJob, type RayJobStatus } from '@muster/job-api';
import { rayJobStatus, type RayJobRecord } from './ray-job-status.ts';

/** @param next the next record; undefined for a job with an invalid spec */
export function shownStatus(record: JobStatus, { status = {} }: RayJob, next: RayJobRecord | undefined): RayJobStatus {
  if (next !== undefined) return rayJobStatus(next);
  const { muster: _record, ...known } = status;
  const invalid = record.conditions?.find(({ reason, status: holds }) => reason === INVALID_SPEC && holds === 'True');
  if (invalid === undefined) return known;
  const { message = '', observedGeneration } = invalid;
  return {
    ...known,
    jobDeploymentStatus: 'ValidationFailed',
    reason: 'ValidationFailed',
    message,
    ...(observedGeneration !== undefined && { observedGeneration }),
  };
}
