/** What a load must cost, whatever the machine: each write is counted, and none may be twice or too many. */
import type { Load } from '../jobs/load.ts';
import { podCount } from '../jobs/load.ts';
import type { MeasuredKind } from '../training-job.ts';

/** Of a kind whose roles are known. */
export type MeasuredLoad = Load & { readonly kind: MeasuredKind };

/** A load that has been played: every job has succeeded, and then was deleted. */
export interface Counts {
  /** Requests of all clients until the jobs had succeeded, by verb, resource and subresource. */
  readonly requests: Readonly<Record<string, number>>;
  /** What the operator has counted: `training_operator_jobs_<name>_total`. */
  readonly counters: Readonly<Record<string, number>>;
  /** What of each resource was left when the jobs were gone. */
  readonly left: Readonly<Record<string, number>>;
}

/** Counts of a status alone are gathered for seconds, so a slow machine has more of them. */
const STATUS_WRITES_A_JOB = 10;
const SERVICES_A_JOB = 2;
/** Of the operator and of the Job controller, where a job has a Job; the scheduler has one for each pod. */
const EVENTS_A_JOB = 12;
/** Those of the Services' slices. */
const SLICE_WRITES_A_JOB = 12;

/** In words; none: all is as it should be. */
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
    ...exactly('pods made', of('POST pods'), pods),
    ...atMost('deletions of pods', of('DELETE pods'), 2 * endlessPods(load)),
    ...atMost('Services made', of('POST services'), jobs * SERVICES_A_JOB),
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

/** Those that run on until their job ends: the operator deletes them, and then their kubelet does. */
function endlessPods({ kind, jobs, pods }: MeasuredLoad): number {
  const endless = kind.rolesOf(pods).filter((role) => role.endless);
  return jobs * endless.reduce((sum, { replicas }) => sum + replicas, 0);
}
