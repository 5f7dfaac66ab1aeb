/** The decision of the planning stages. `reconcile/plan-of-decision.ts` turns it into the Plan. */
import type { JobStatus } from '@muster/job-api';
import type { Probe } from '@muster/probes';
import type { RestartCause, StartLatency } from './status-write.ts';
import type { Shortage } from './shortage.ts';
import type { PlannedEvent } from './event.ts';
import { earliest } from './requeue.ts';
import type { Write } from './write.ts';

export interface StatusDecision {
  /** Transitions are counted from this: the stored status without what is rolled back. */
  readonly before: JobStatus;
  readonly after: JobStatus;
  readonly restartCauses?: readonly RestartCause[];
  readonly latencies?: readonly StartLatency[];
}

export interface Decision {
  /** Undefined: the stored status is kept. */
  readonly status?: StatusDecision;
  /** In addition to the events for the status change. */
  readonly events: readonly PlannedEvent[];
  readonly writes: readonly Write[];
  readonly shortages: readonly Shortage[];
  /** How long the decision is valid, in milliseconds: until the job's deadline. Default: no limit. */
  readonly validForMs?: number | undefined;
  /**
   * The cache must have all pods of the job before anything is written: names that another process assigned may have pods, and new pods would
   * get other names.
   */
  readonly needsAllPods?: boolean;
  /** Probes to send, in addition to those of the adapter. */
  readonly probes?: readonly Probe[];
  /** Only a part of the job is decided: writes that were refused in earlier runs stay pending. Default: false. */
  readonly isPartial?: boolean;
  readonly requeueAfterMs: number | undefined;
}

export const NO_CHANGE: Decision = { events: [], writes: [], shortages: [], requeueAfterMs: undefined };

export type Additions = Partial<Pick<Decision, 'events' | 'writes' | 'requeueAfterMs'>>;

/** Adds events and writes. The earlier requeue time is kept. */
export function withAdditions(decision: Decision, { events = [], writes = [], requeueAfterMs }: Additions): Decision {
  return {
    ...decision,
    events: [...decision.events, ...events],
    writes: [...decision.writes, ...writes],
    requeueAfterMs: earliest(decision.requeueAfterMs, requeueAfterMs),
  };
}
