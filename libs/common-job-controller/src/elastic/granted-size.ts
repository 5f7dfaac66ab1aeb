/** The size of the elastic role: from the spec, or smaller by the status. Muster never writes the spec. */
import type { ElasticStatus } from '@muster/job-api';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { TrainingJob } from '../model/training-job.ts';

/** How many of the `wanted` replicas to create. All, while it tries to grow. */
export function sizeBy(elastic: ElasticStatus | undefined, wanted: number): number {
  if (elastic === undefined || elastic.reason === 'AsWanted' || elastic.reason === 'Growing') return wanted;
  return Math.min(elastic.granted, wanted);
}

export function sizedAsGranted(adapter: Pick<FrameworkAdapter, 'elastic'>, job: TrainingJob): TrainingJob {
  const elastic = adapter.elastic?.workers?.(job);
  if (elastic?.fit === undefined) return job;
  return withSize(job, elastic.role, (wanted) => sizeBy(job.status.elastic, wanted));
}

export function withSize(job: TrainingJob, name: string, sizeOf: (wanted: number) => number): TrainingJob {
  const roles = job.roles.map((role) => (role.name === name ? { ...role, replicas: sizeOf(role.replicas) } : role));
  return { ...job, roles };
}
