/** The counts that a load must have on any machine: every write once, and not too many. */
import type { Load } from '../jobs/load.ts';
import { podCount } from '../jobs/load.ts';
import type { MeasuredKind } from '../training-job.ts';

/** Of a kind whose roles are known. */
export type MeasuredLoad = Load & { readonly kind: MeasuredKind };

/** A load that has run: every job has succeeded and was then deleted. */
export interface Counts {
  /** Requests of all clients until the jobs had succeeded, by verb, resource and subresource. */
  readonly requests: Readonly<Record<string, number>>;
  /** What the operator has counted: `training_operator_jobs_<name>_total`. */
  readonly counters: Readonly<Record<string, number>>;
  /** The objects of each resource that were left after the jobs were gone. */
  readonly left: Readonly<Record<string, number>>;
}

/** Changes that only affect counts are collected for seconds, so a slow machine has more such status writes. */
const STATUS_WRITES_A_JOB = 10;
const SERVICES_A_JOB = 2;
/** Events of the operator, and of the Job controller if a job has a Job; the scheduler adds one for each pod. */
const EVENTS_A_JOB = 12;
/** Writes of the Services' slices. */
const SLICE_WRITES_A_JOB = 12;

/** One line for each problem; empty if the counts are right. */
export function wrongCounts(load: MeasuredLoad, { requests, counters, left }: Counts): string[] {
  const { jobs } = load;
  const pods = podCount(load);
  const { plural } = load.kind.resource;
  const of = (...keys: readonly string[]) => keys.reduce((sum, key) => sum + (requests[key] ?? 0), 0);
  const exactly = (what: string, count: number, wanted: number) =>
    count === wanted ? [] : [`${what}: ${count} instead of ${wanted}`];
  const atMost = (what: string, count: number, limit: number) =>
    count <= limit ? [] : [`${what}: ${count}, more than ${limit}`];
  return [
    ...exactly('pods created', of('POST pods'), pods),
    ...atMost('deletions of pods', of('DELETE pods'), 2 * endlessPods(load)),
    ...atMost('Services created', of('POST services'), jobs * SERVICES_A_JOB),
    ...atMost('status writes', of(`PATCH ${plural} status`, `PUT ${plural} status`), jobs * STATUS_WRITES_A_JOB),
    ...exactly('other writes of jobs', of(`PATCH ${plural}`, `PUT ${plural}`), 0),
    ...atMost('events', of('POST events', 'PATCH events'), pods + jobs * EVENTS_A_JOB),
    ...atMost(
      'writes of EndpointSlices',
      of('POST endpointslices', 'PATCH endpointslices', 'DELETE endpointslices'),
      jobs * SLICE_WRITES_A_JOB,
    ),
    ...exactly('jobs counted as created', counters['created'] ?? 0, jobs),
    ...exactly('jobs counted as successful', counters['successful'] ?? 0, jobs),
    ...exactly('jobs counted as failed', counters['failed'] ?? 0, 0),
    ...exactly('jobs counted as restarted', counters['restarted'] ?? 0, 0),
    ...Object.entries(left).flatMap(([what, count]) => exactly(`${what} left when the jobs are gone`, count, 0)),
  ];
}

/** Pods that run until their job ends: the operator deletes them, and then their kubelet does. */
function endlessPods({ kind, jobs, pods }: MeasuredLoad): number {
  const endless = kind.rolesOf(pods).filter((role) => role.endless);
  return jobs * endless.reduce((sum, { replicas }) => sum + replicas, 0);
}
