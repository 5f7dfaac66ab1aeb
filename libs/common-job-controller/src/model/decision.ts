/** What the stages of planning decide on a job. `reconcile/plan-of-decision.ts` makes the Plan of it. */
import type { JobStatus } from '@muster/job-api';
import type { Question } from './fact.ts';
import type { RestartCause, StartLatency } from './status-write.ts';
import type { Shortage } from './shortage.ts';
import type { PlannedEvent } from './event.ts';
import { earliest } from './requeue.ts';
import type { Write } from './write.ts';

/** A change of the job's status. */
export interface StatusDecision {
  /** What transitions are counted from: the stored status, less what is taken back. */
  readonly before: JobStatus;
  readonly after: JobStatus;
  /** The cause of each restart that is counted with it. Default: none. */
  readonly restartCauses?: readonly RestartCause[];
  readonly latencies?: readonly StartLatency[];
}

export interface Decision {
  /** Undefined: the status stays as it is stored. */
  readonly status?: StatusDecision;
  /** Beside those of the status. */
  readonly events: readonly PlannedEvent[];
  /** In any order. */
  readonly writes: readonly Write[];
  /** Why objects that the job should have are not created. */
  readonly shortages: readonly Shortage[];
  /** How long the decision holds, in milliseconds of the wall clock: until the job's deadline. Default: without limit. */
  readonly validForMs?: number | undefined;
  /** What to ask of the outside, beside what the kind asks itself. */
  readonly questions?: readonly Question[];
  /** When to reconcile the job again even if nothing changes. */
  readonly requeueAfterMs: number | undefined;
}

/** Nothing changes. */
export const NO_CHANGE: Decision = { events: [], writes: [], shortages: [], requeueAfterMs: undefined };

/** What is decided beside the status. */
export type Additions = Partial<Pick<Decision, 'events' | 'writes' | 'requeueAfterMs'>>;

/** `decision` with more events and writes, reconciled again at the earlier of the two times. */
export function withAdditions(decision: Decision, { events = [], writes = [], requeueAfterMs }: Additions): Decision {
  return {
    ...decision,
    events: [...decision.events, ...events],
    writes: [...decision.writes, ...writes],
    requeueAfterMs: earliest(decision.requeueAfterMs, requeueAfterMs),
  };
}
