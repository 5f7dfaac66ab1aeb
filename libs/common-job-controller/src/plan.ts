/**
 * What a pass is going to do. `planJob` decides it; `execute` does it, in the order of the fields: the status comes
 * first, so that what the job has become is on record before anything is done that could hide why.
 */
import type { JobStatus, Pod, Service } from '@muster/job-api';

export interface PlannedEvent {
  readonly type: 'Normal' | 'Warning';
  /** CamelCase, past tense where it is something that happened. */
  readonly reason: string;
  readonly note: string;
  /** What Muster was doing, in one CamelCase word. */
  readonly action: string;
}

/** `training_operator_jobs_<name>_total` goes up by one. */
export type JobCounter = 'created' | 'deleted' | 'successful' | 'failed' | 'restarted';

export interface Plan {
  /** The whole new status; undefined when it stays as it is. */
  readonly status: JobStatus | undefined;
  /** Emitted and counted once the status is written. */
  readonly events: readonly PlannedEvent[];
  readonly counters: readonly JobCounter[];
  /** Objects without an owner that carry the job's labels and names. */
  readonly adopt: { readonly pods: readonly Pod[]; readonly services: readonly Service[] };
  /** The job itself goes: its time to live is over. */
  readonly deleteJob: boolean;
  readonly remove: { readonly pods: readonly Pod[]; readonly services: readonly Service[] };
  /** Services come before pods: a pod's names are those of Services that exist. */
  readonly create: { readonly services: readonly Service[]; readonly pods: readonly Pod[] };
  /** When to look again even if nothing happens. */
  readonly requeueAfterMs: number | undefined;
}

export const NOTHING_TO_DO: Plan = {
  status: undefined,
  events: [],
  counters: [],
  adopt: { pods: [], services: [] },
  deleteJob: false,
  remove: { pods: [], services: [] },
  create: { services: [], pods: [] },
  requeueAfterMs: undefined,
};
