/** Expected values of Kubeflow's counters, from the stored statuses. */
import type { JobStatus } from '@muster/job-api';

const COUNTERS = ['created', 'deleted', 'successful', 'failed', 'restarted'] as const;

export type JobCounts = Record<(typeof COUNTERS)[number], number>;

export const NOTHING_COUNTED: JobCounts = { created: 0, deleted: 0, successful: 0, failed: 0, restarted: 0 };

export function sumOfCounts(all: readonly JobCounts[]): JobCounts {
  const sum = (name: keyof JobCounts) => all.reduce((total, counts) => total + counts[name], 0);
  return Object.fromEntries(COUNTERS.map((name) => [name, sum(name)])) as JobCounts;
}

export function countsOfChange(before: JobStatus | undefined, after: JobStatus): JobCounts {
  const became = (type: string) => Number(holds(after, type) && !holds(before, type));
  return {
    created: became('Created'),
    deleted: 0,
    successful: became('Succeeded'),
    failed: became('Failed'),
    restarted: restartsIn(after) - restartsIn(before),
  };
}

export function countsOfHistory(versions: readonly JobStatus[]): JobCounts {
  return sumOfCounts(versions.map((version, index) => countsOfChange(versions[index - 1], version)));
}

export function countsOfMetrics(text: string): JobCounts {
  const valueOf = (name: string) =>
    [...text.matchAll(new RegExp(`^training_operator_jobs_${name}_total(?:\\{.*\\})? (\\S+)$`, 'gm'))]
      .map(([, value]) => Number(value))
      .reduce((sum, value) => sum + value, 0);
  return Object.fromEntries(COUNTERS.map((name) => [name, valueOf(name)])) as JobCounts;
}

export function holds(status: JobStatus | undefined, type: string): boolean {
  return status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;
}

function restartsIn(status: JobStatus | undefined): number {
  return (status?.restartCount ?? 0) + (status?.disruptionCount ?? 0);
}
