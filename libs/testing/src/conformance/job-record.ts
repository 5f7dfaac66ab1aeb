/** Where a case finds the engine's record of a job. */
import { ANNOTATIONS } from '@muster/job-api';
import type { ConformanceJob } from './conformance-framework.ts';

/**
 * The job with the engine's record as its status.
 *
 * @param field the field of the status in which it is, or undefined where the status is the record; under a definition that
 *   lacks the field it is read in the annotation
 */
export function withRecord(job: ConformanceJob, field: string | undefined): ConformanceJob {
  const { status } = job;
  if (field === undefined || status === undefined) return job;
  const { [field]: record } = status as Readonly<Record<string, ConformanceJob['status']>>;
  if (record !== undefined) return { ...job, status: record };
  const { job: kept, roles } = keptRecord(job);
  return { ...job, status: { ...kept, ...(roles && { replicaStatuses: roles }) } };
}

/** What is kept of a record in the job's annotation. */
export function keptRecord({ metadata }: ConformanceJob): {
  job?: ConformanceJob['status'];
  roles?: NonNullable<ConformanceJob['status']>['replicaStatuses'];
} {
  return Object(JSON.parse(metadata?.annotations?.[ANNOTATIONS.status] ?? '{}')) as object;
}
