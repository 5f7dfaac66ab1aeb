import { ANNOTATIONS } from '@muster/job-api';
import type { ConformanceJob } from './conformance-framework.ts';

/**
 * The job with the engine's record as its status.
 *
 * @param field the status field with the record; undefined if the status is the record. If the CRD lacks the field, the
 * annotation has the record.
 */
export function withRecord(job: ConformanceJob, field: string | undefined): ConformanceJob {
  const { status } = job;
  if (field === undefined || status === undefined) return job;
  const { [field]: record } = status as Readonly<Record<string, ConformanceJob['status']>>;
  if (record !== undefined) return { ...job, status: record };
  const { job: kept, roles } = keptRecord(job);
  return { ...job, status: { ...kept, ...(roles && { replicaStatuses: roles }) } };
}

export function keptRecord({ metadata }: ConformanceJob): {
  job?: ConformanceJob['status'];
  roles?: NonNullable<ConformanceJob['status']>['replicaStatuses'];
} {
  return Object(JSON.parse(metadata?.annotations?.[ANNOTATIONS.status] ?? '{}')) as object;
}
