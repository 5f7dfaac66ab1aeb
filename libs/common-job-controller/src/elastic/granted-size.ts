/**
 * How large the elastic role of a job is: as its spec says, or smaller where the status says that the cluster has no room for
 * more. The spec is its user's, and is never written.
 */
import type { ElasticStatus } from '@muster/job-api';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { TrainingJob } from '../model/training-job.ts';

/** Of `wanted` replicas those that there are to be. While it tries to grow there are to be all. */
export function sizeBy(elastic: ElasticStatus | undefined, wanted: number): number {
  if (elastic === undefined || elastic.reason === 'AsWanted' || elastic.reason === 'Growing') return wanted;
  return Math.min(elastic.granted, wanted);
}

/** `job` with the size that its status says. */
export function sizedAsGranted(adapter: Pick<FrameworkAdapter, 'elastic'>, job: TrainingJob): TrainingJob {
  const elastic = adapter.elastic?.workers?.(job);
  if (elastic?.fit === undefined) return job;
  return withSize(job, elastic.role, (wanted) => sizeBy(job.status.elastic, wanted));
}

export function withSize(job: TrainingJob, name: string, sizeOf: (wanted: number) => number): TrainingJob {
  const roles = job.roles.map((role) => (role.name === name ? { ...role, replicas: sizeOf(role.replicas) } : role));
  return { ...job, roles };
}
